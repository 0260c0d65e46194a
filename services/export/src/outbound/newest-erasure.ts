// Finds the newest record of an erasure behind a range that was read. Each erased part that was read has its
// record by then, because both are stored in one transaction. Called by the writers of files, after the last
// event of the range. It must never read what comes before the newest record.

import { ERASURE } from "@annals/event";
import { EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { EventPosition } from "../exports/rules/manifest.ts";
import { Breaks } from "./breaks.ts";

interface Behind {
  readonly accountId: string;
  readonly afterSequence: bigint;
}

/** Undefined if no erasure is recorded after that number. */
export async function newestErasure(
  ledger: Pick<Client<typeof LedgerService>, "listEvents">,
  { accountId, afterSequence }: Behind,
  signal: AbortSignal,
): Promise<EventPosition | undefined> {
  const filter = create(EventFilterSchema, { actions: [ERASURE], afterSequence });
  const breaks = new Breaks(signal);
  for (;;) {
    try {
      const request = { accountId, filter, ascending: false, limit: 1 };
      const { events, nextAfter } = await ledger.listEvents(request, { signal });
      breaks.end();
      const [newest] = events;
      if (newest) return positionOf(newest);
      if (nextAfter === undefined) return undefined;
      // A page without an event ends where its budget was spent.
      filter.beforeSequence = nextAfter;
    } catch (error) {
      await breaks.wait(error);
    }
  }
}

function positionOf({ hash, previousHash, sequenceNumber }: EventPosition): EventPosition {
  return { sequenceNumber, hash, previousHash };
}
