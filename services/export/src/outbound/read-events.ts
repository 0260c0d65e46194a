// Reads the events of an export from the ledger, a page at a time and no faster than the caller takes them. A
// stream that breaks (a replica that drains, a connection at its maximum age, a deadline) is opened again
// where it was: after the last event that arrived, or where a search says that it is.

import { AnnalsError, internal } from "@annals/errors";
import {
  type EventFilter,
  type LedgerService,
  RecordFormat,
  type StreamEventsResponse,
} from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import type { LedgerFormat } from "../formats/rules/file-format.ts";
import type { EventPosition } from "../exports/rules/manifest.ts";
import { Breaks } from "./breaks.ts";

/** Retention has deleted events of the selection: another attempt would not find them, either. */
export class LostEvents extends Error {
  override readonly name = "LostEvents";
}

export interface EventSelection {
  readonly accountId: string;
  /** Bounded above. */
  readonly filter: EventFilter;
  readonly includeProof: boolean;
  readonly format: LedgerFormat;
}

/** Some events in ascending order, as the records of a file. */
export interface EventPage {
  readonly text: Uint8Array;
  readonly count: number;
  readonly first: EventPosition;
  readonly last: EventPosition;
  /** Whether a part of one of them is erased. */
  readonly hasErased: boolean;
}

const RECORD_FORMATS: Record<LedgerFormat, RecordFormat> = {
  jsonl: RecordFormat.JSONL,
  csv: RecordFormat.CSV,
};

/** Deadline of one stream. A longer export goes on with another stream. */
const STREAM_TIMEOUT_MS = 5 * 60_000;

export async function* readEvents(
  ledger: Pick<Client<typeof LedgerService>, "streamEvents">,
  selection: EventSelection,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  let { filter } = selection;
  const breaks = new Breaks(signal);
  for (;;) {
    try {
      const request = { ...selection, filter, format: RECORD_FORMATS[selection.format] };
      const options = { signal, timeoutMs: STREAM_TIMEOUT_MS };
      for await (const response of ledger.streamEvents(request, options)) {
        breaks.end();
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
      if (error instanceof AnnalsError && error.kind === "not_found")
        throw new LostEvents("retention has deleted events of the export");
      await breaks.wait(error);
    }
  }
}

function pageOf({ text, count, first, last, hasErased }: StreamEventsResponse): EventPage {
  if (!first || !last) throw internal("the ledger responded without the requested events");
  return { text, count, first, last, hasErased };
}
