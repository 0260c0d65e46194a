// Reads the records of erasures of an account: what an archive must lose, and what shows why it lacks parts.
// Called by the workers of archives. Records that retention has deleted are named by no open erasure, because
// archives lose erased parts before retention deletes their records.

import { ERASURE } from "@annals/event";
import { EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { type EventPage, readEvents } from "./read-events.ts";

type Ledger = Pick<Client<typeof LedgerService>, "listEvents" | "streamEvents">;

interface Records {
  readonly accountId: string;
  readonly after: bigint;
  /** Undefined: all that are there. */
  readonly through?: bigint | undefined;
  readonly includeProof: boolean;
}

/** Yields pages of records in their order. */
export async function* readErasureRecords(
  ledger: Ledger,
  { accountId, after, includeProof, through }: Records,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  const { retainedFrom = 1n } = await ledger.listEvents({ accountId, limit: 1 }, { signal });
  const kept = retainedFrom - 1n;
  const filter = create(EventFilterSchema, {
    actions: [ERASURE],
    afterSequence: after > kept ? after : kept,
    ...(through !== undefined && { beforeSequence: through + 1n }),
  });
  yield* readEvents(ledger, { accountId, filter, format: "jsonl", includeProof }, signal);
}
