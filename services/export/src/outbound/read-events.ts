// Reads the events of an export from the ledger, a page at a time and no faster than the caller takes them. A
// stream that breaks (a replica that drains, a connection at its maximum age, a deadline) is opened again
// where it was: after the last event that arrived, or where a search says that it is.

import { AnnalsError, internal } from "@annals/errors";
import type { ExportFormat } from "@annals/contract";
import {
  type EventFilter,
  type LedgerService,
  RecordFormat,
  type StreamEventsResponse,
} from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { setTimeout as pause } from "node:timers/promises";
import type { EventPosition } from "../domain/manifest.ts";

export interface EventSelection {
  readonly accountId: string;
  /** Bounded above. */
  readonly filter: EventFilter;
  readonly includeProof: boolean;
  readonly format: ExportFormat;
}

/** Some events in ascending order, as the records of a file. */
export interface EventPage {
  readonly text: Uint8Array;
  readonly count: number;
  readonly first: EventPosition;
  readonly last: EventPosition;
}

const RECORD_FORMATS: Record<ExportFormat, RecordFormat> = {
  jsonl: RecordFormat.JSONL,
  csv: RecordFormat.CSV,
};

/** Deadline of one stream. A longer export goes on with another stream. */
const STREAM_TIMEOUT_MS = 5 * 60_000;

/** Consecutive breaks, without an event between them, after which reading fails: about 20 seconds. */
const MAX_BREAKS = 8;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

export async function* readEvents(
  ledger: Pick<Client<typeof LedgerService>, "streamEvents">,
  selection: EventSelection,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  let { filter } = selection;
  let breaks = 0;
  for (;;) {
    try {
      const request = { ...selection, filter, format: RECORD_FORMATS[selection.format] };
      const options = { signal, timeoutMs: STREAM_TIMEOUT_MS };
      for await (const response of ledger.streamEvents(request, options)) {
        breaks = 0;
        if (response.count === 0) {
          filter = { ...filter, afterSequence: response.reached };
          continue;
        }
        const page = pageOf(response);
        yield page;
        filter = { ...filter, afterSequence: page.last.sequenceNumber };
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AnnalsError) || error.kind !== "unavailable") throw error;
      breaks += 1;
      if (breaks > MAX_BREAKS) throw error;
      await pause(Math.min(FIRST_BACKOFF_MS * 2 ** breaks, MAX_BACKOFF_MS), undefined, { signal });
    }
  }
}

function pageOf({ text, count, first, last }: StreamEventsResponse): EventPage {
  if (!first || !last) throw internal("the ledger responded without the requested events");
  return { text, count, first, last };
}
