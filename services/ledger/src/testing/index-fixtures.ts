// The filter index in tests: events with values worth filtering, and its worker, step by step. Imported by
// tests only.

import { createLog } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { GrownChains } from "../append/grown-chains.ts";
import { DELAY_MS, FilterIndex } from "../search/worker/filter-index.ts";
import { eventsJsonOf, type GivenEvent, type TestLedger } from "./test-ledger.ts";

/** Events of one append, which are received at once. */
export const APPENDED = 1_000;
/** When an append was received if its first event does not say it. */
export const RECEIVED_AT = "2026-05-10T11:59:59.000000Z";

/** What lists can filter by. */
export interface Sent {
  readonly action: string;
  readonly occurredAt: string;
  /** The same for all events of an append. */
  readonly receivedAt?: string;
  readonly actorId?: string;
  readonly actorType?: string;
  readonly targetId?: string;
  readonly targetType?: string;
}

/** Appends events in batches as large as may be. */
export async function appendAll(
  { client }: TestLedger,
  accountId: string,
  sent: readonly Sent[],
): Promise<void> {
  for (let at = 0; at < sent.length; at += APPENDED) {
    const some = sent.slice(at, at + APPENDED);
    const eventsJson = eventsJsonOf(some.map(eventOfSent));
    const { receivedAt = RECEIVED_AT } = some[0] ?? {};
    const append = { accountId, receivedAt, requestSha256: new Uint8Array(32), eventsJson };
    const { outcomes } = await client.createEvents({ appends: [append] });
    if (outcomes[0]?.outcome.case !== "stored") throw new Error("not stored");
  }
}

/** Inserts the events of a chain by one statement, without true hashes and with empty parts. */
export async function insertAll(
  database: TestDatabase,
  accountId: string,
  sent: readonly Sent[],
): Promise<void> {
  const rows = sent.map((one, index) => ({ receivedAt: RECEIVED_AT, ...one, number: index + 1 }));
  await database.query(
    `INSERT INTO ledger.events (account_id, sequence_number, id, action, actor_id, actor_type, target_id, target_type,
       occurred_at, received_at, created_at, digests, previous_hash, hash, actor, context, diff, metadata, target, salts)
     SELECT $1, number, 'evt_' || number, action, "actorId", "actorType", "targetId", "targetType", "occurredAt",
       "receivedAt", '', decode(repeat('00', 160), 'hex'), sha256('x'), sha256('x'), '{}', '{}', '{}', '{}', '{}',
       decode(repeat('00', 80), 'hex')
     FROM json_to_recordset($2::json) AS given (number bigint, action text, "actorId" text, "actorType" text,
       "targetId" text, "targetType" text, "occurredAt" text, "receivedAt" text)`,
    [accountId, JSON.stringify(rows)],
  );
  await database.query(
    "INSERT INTO ledger.heads (account_id, sequence_number, hash) VALUES ($1, $2, sha256('x'))",
    [accountId, sent.length],
  );
}

function eventOfSent(sent: Sent): GivenEvent {
  const part = (id?: string, type?: string) => ({
    ...(id !== undefined && { id }),
    ...(type !== undefined && { type }),
  });
  return {
    action: sent.action,
    occurred_at: sent.occurredAt,
    actor: part(sent.actorId, sent.actorType),
    target: part(sent.targetId, sent.targetType),
  };
}

/** `second` seconds after the beginning of 2026. */
export function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().replace("Z", "000Z");
}

export const received = (second: number): string => `received ${timeOf(second)}`;

/** Rows of a chain that occurred a second after each other, without true hashes, and the head behind them. */
export async function insertChain(
  database: TestDatabase,
  accountId: string,
  length: number,
): Promise<void> {
  await database.query(
    `INSERT INTO ledger.events
     SELECT $1, number, 'evt_' || number, 'a', occurred_at, 'received ' || occurred_at, '', decode(repeat('00', 160), 'hex'),
       sha256(convert_to($1 || number - 1, 'UTF8')), sha256(convert_to($1 || number, 'UTF8')),
       '{}', '{}', '{}', '{}', '{}', decode(repeat('00', 80), 'hex'), 'u_' || number % 50
     FROM unnest($2::text[]) WITH ORDINALITY AS given (occurred_at, number)`,
    [accountId, Array.from({ length }, (_, index) => timeOf(index))],
  );
  await database.query(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     VALUES ($1, $2, decode(repeat('00', 32), 'hex'))`,
    [accountId, length],
  );
}

/** Indexes every complete chunk, and seals what can be. Resolves to the lag that was reported last. */
export async function indexAll(database: Pool): Promise<number> {
  let reported = 0;
  const lag = (events: number) => void (reported = events);
  const log = createLog({ service: "test", level: "error" });
  const index = new FilterIndex({ database, grown: new GrownChains(), lag, log });
  while ((await index.run(new AbortController().signal)) < DELAY_MS);
  return reported;
}
