// Compares the erased parts of verified events with the records of the chain: each has to be named by a later
// one. Called by verify-chain.ts after the events themselves. It must never trust a record that the chain has
// not hashed, and costs nothing if no part is erased.

import {
  checkLeaf,
  ERASURE,
  erasedParts,
  Erasures,
  MAX_EVENT_DEPTH,
  readJson,
  RETENTION,
} from "@annals/event";
import type { Database } from "@annals/postgres";
import type { FirstInvalid } from "./rules/chain-verifier.ts";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";
import { streamPages } from "../search/stream-pages.ts";
import { getRecordsFrom } from "./store/get-records-from.ts";
import { listErased } from "./store/list-erased.ts";
import { readEnds } from "../store/read-ends.ts";
import type { RecordRow } from "../store/stream-events.ts";
import type { Range } from "./blocks.ts";

/** A record has few members. */
const LIMITS = { maxDepth: MAX_EVENT_DEPTH, maxValues: 1_000 };

interface VerifiedErasures {
  readonly erasedParts: number;
  /** The first event with an erased part that no record names. */
  readonly unrecorded: FirstInvalid | undefined;
}

/**
 * Verifies the erased parts of the ranges. The head is read after the events: an erasure that comes meanwhile
 * has its record behind the head that the verification began with.
 */
export async function verifyErasures(
  database: Database,
  accountId: string,
  ranges: readonly Range[],
  signal: AbortSignal,
): Promise<VerifiedErasures> {
  const erasures = new Erasures();
  const [first] = ranges;
  if (!first) return { erasedParts: 0, unrecorded: undefined };
  for (const { from, to } of ranges.flatMap((range) => [...inPieces(range)])) {
    signal.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- one statement at a time
    for (const row of await database.run(listErased, [accountId, String(from), String(to)]))
      erasures.take({
        sequenceNumber: Number(row.sequence_number),
        erased: erasedParts(row.erased),
      });
  }
  const [lifecycle] = await database.run(getRecordsFrom, [accountId]);
  if (lifecycle) {
    const [ends] = await database.run(readEnds, [accountId]);
    const head = Number(ends?.head_sequence ?? 0);
    const after = Math.max(first.from, Number(lifecycle.records_from));
    for (const action of [ERASURE, RETENTION])
      // oxlint-disable-next-line no-await-in-loop -- one statement at a time
      await takeRecords(database, erasures, { accountId, action, after, head, signal });
  }
  const { erasedParts: count, unrecorded } = erasures;
  if (!unrecorded) return { erasedParts: count, unrecorded };
  const { sequenceNumber } = unrecorded;
  const number = String(sequenceNumber);
  const [event] = await database.run(listErased, [accountId, number, number]);
  return {
    erasedParts: count,
    unrecorded: { sequenceNumber, eventId: event?.id, reason: "erasure_unrecorded" },
  };
}

function* inPieces({ from, to }: Range): Generator<Range> {
  for (let next = from; next <= to; next += CHUNK_SIZE)
    yield { from: next, to: Math.min(next + CHUNK_SIZE - 1, to) };
}

interface Sought {
  readonly accountId: string;
  readonly action: string;
  readonly after: number;
  readonly head: number;
  readonly signal: AbortSignal;
}

async function takeRecords(
  database: Database,
  erasures: Erasures,
  { accountId, action, after, head, signal }: Sought,
): Promise<void> {
  const filter = {
    actions: [action],
    afterSequence: BigInt(after),
    beforeSequence: BigInt(head + 1),
  };
  for await (const { rows } of streamPages(database, { accountId, filter })) {
    signal.throwIfAborted();
    for (const row of rows.filter((each) => isHashed(each, accountId))) {
      const metadata = readJson(Buffer.from(row.metadata), LIMITS);
      if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) continue;
      erasures.take({
        sequenceNumber: Number(row.sequence_number),
        record: { action, metadata },
      });
    }
  }
}

/** Whether a record is what the chain has hashed, with all of its parts. */
function isHashed(row: RecordRow, chain: string): boolean {
  if (row.erased !== 0) return false;
  const fault = checkLeaf({
    ...row,
    chain,
    createdAt: row.created_at,
    digests: Buffer.from(row.digests, "hex"),
    occurredAt: row.occurred_at,
    parts: row,
    previousHash: row.previous_hash,
    receivedAt: row.received_at,
    salts: Buffer.from(row.salts, "hex"),
    sequenceNumber: Number(row.sequence_number),
  });
  return fault === undefined;
}
