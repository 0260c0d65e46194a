// Reads the events of an export from the ledger, a page at a time and no faster than they are
// taken. A stream that breaks off (a replica that goes, a connection that ages, a deadline) is
// opened again after the last event that came.

import { AnnalsError } from "@annals/errors";
import type { EventFilter, LedgerService, StoredEvent } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { setTimeout as pause } from "node:timers/promises";

export interface EventSelection {
  readonly accountId: string;
  /** Bounded above. */
  readonly filter: EventFilter;
  readonly includeProof: boolean;
}

/** One stream; a longer export goes on with another. */
const STREAM_TIMEOUT_MS = 5 * 60_000;

/** Breaks without an event between them before the reader gives up: some 20 seconds. */
const MAX_BREAKS = 8;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

export async function* readEvents(
  ledger: Pick<Client<typeof LedgerService>, "streamEvents">,
  selection: EventSelection,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEvent[]> {
  let { filter } = selection;
  let breaks = 0;
  for (;;) {
    try {
      const request = { ...selection, filter };
      const options = { signal, timeoutMs: STREAM_TIMEOUT_MS };
      for await (const { events } of ledger.streamEvents(request, options)) {
        const last = events.at(-1);
        if (!last) continue;
        yield events;
        filter = { ...filter, afterSequence: last.sequenceNumber };
        breaks = 0;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AnnalsError) || error.kind !== "unavailable") throw error;
      breaks += 1;
      if (breaks > MAX_BREAKS) throw error;
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** breaks, MAX_PAUSE_MS), undefined, { signal });
    }
  }
}
