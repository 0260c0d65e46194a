// A short chain of an account with valid hashes, always the same. Called by the seeds of the ledger and by
// the cases of the append. It must never use a clock or chance.

import { GENESIS_HASH, leafHash, leafText, partDigest, PARTS } from "@annals/event";

/** An event as `ledger.events` has it, each value as PostgreSQL reads it from a text. */
export type ChainedRow = Readonly<Record<string, string | null>> & { readonly hash: string };

const SALT_BYTES = 16;

/** Seeds of each chain, and how many events it has. */
export const EVENTS = 6;

const ACTIONS = ["invoice.create", "invoice.update", "user.login"];

const asBytea = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`;

/** The events of an account from a number on, after a hash. */
export function chainOf(
  account: string,
  { count = EVENTS, first = 1, previousHash = GENESIS_HASH } = {},
): ChainedRow[] {
  const rows: ChainedRow[] = [];
  let previous = previousHash;
  for (let number = first; number < first + count; number += 1) {
    const row = eventOf(account, number, previous);
    rows.push(row);
    previous = row.hash.slice(2);
  }
  return rows;
}

function eventOf(account: string, sequenceNumber: number, previousHash: string): ChainedRow {
  // Each third event has no actor and no target.
  const isWhole = sequenceNumber % 3 !== 0;
  const [actorId, targetId] = isWhole ? ["user_1", `inv_${sequenceNumber % 2}`] : [null, null];
  const parts = {
    actor: isWhole ? `{"id":"${actorId}","type":"user"}` : "{}",
    context: `{"n":${sequenceNumber}}`,
    diff: "{}",
    metadata: '{"ünïcode":"✓"}',
    target: isWhole ? `{"id":"${targetId}","type":"invoice"}` : "{}",
  };
  const salts = PARTS.map((_, index) => Buffer.alloc(SALT_BYTES, sequenceNumber * 5 + index));
  const digests = Buffer.concat(
    PARTS.map((part, index) => partDigest(salts[index] as Buffer, parts[part])),
  );
  const event = {
    id: `evt_${sequenceNumber}`,
    action: ACTIONS[(sequenceNumber - 1) % ACTIONS.length] ?? "",
    occurredAt: `2020-01-${String(sequenceNumber + 10)}T09:30:00.000000Z`,
    receivedAt: "2020-02-01T00:00:00.000000Z",
    createdAt: "2020-02-01T00:00:00.000001Z",
    previousHash,
  };
  const hash = leafHash(leafText({ ...event, chain: account, digests, sequenceNumber }));
  return {
    account_id: account,
    sequence_number: String(sequenceNumber),
    id: event.id,
    action: event.action,
    occurred_at: event.occurredAt,
    received_at: event.receivedAt,
    created_at: event.createdAt,
    digests: asBytea(digests),
    previous_hash: `\\x${previousHash}`,
    hash: `\\x${hash}`,
    ...parts,
    salts: asBytea(Buffer.concat(salts)),
    actor_id: actorId,
    actor_type: isWhole ? "user" : null,
    target_id: targetId,
    target_type: isWhole ? "invoice" : null,
    key_id: sequenceNumber % 2 === 0 ? "key_1" : null,
  };
}
