// The baseline of appends: the same rows inserted into the same table, one statement and its commit. No
// hashing, no HTTP, no key, no head. Called by measure/batches.ts and measure/idle-latency.ts.

import { newId } from "@annals/contract";
import type { Figures } from "./http-load.ts";
import { makeRows, type Row } from "./rows.ts";
import { openSql } from "./sql.ts";

const INSERT = `WITH given AS (
  SELECT * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[],
    $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::text[], $13::text[],
    $14::text[]) WITH ORDINALITY AS given (
    sequence_number, id, action, at, actor, context, diff, metadata, target,
    actor_id, actor_type, target_id, target_type, place)
)
INSERT INTO ledger.events (account_id, sequence_number, id, action, occurred_at, received_at, created_at,
  digests, previous_hash, hash, actor, context, diff, metadata, target, salts,
  actor_id, actor_type, target_id, target_type)
SELECT $1::text, sequence_number, id, action, at, at, at,
  substring($15::bytea FROM (place::integer - 1) * 160 + 1 FOR 160),
  substring($16::bytea FROM (place::integer - 1) * 32 + 1 FOR 32),
  substring($17::bytea FROM (place::integer - 1) * 32 + 1 FOR 32),
  actor, context, diff, metadata, target,
  substring($18::bytea FROM (place::integer - 1) * 80 + 1 FOR 80),
  actor_id, actor_type, target_id, target_type
FROM given`;

export interface BareInsertJob {
  readonly databaseUrl: string;
  readonly events: readonly object[];
  /** Rows in one statement. */
  readonly size: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/**
 * Rows made for each connection before the measurement; afterwards they are sent again for another account.
 */
const PREPARED_ROWS = 5_000;

/** Rows per second, and the duration of a statement. */
export async function bareInsert(job: BareInsertJob): Promise<Figures> {
  const prepared = Array.from({ length: job.connections }, () => statementsOf(job));
  const from = performance.now() + job.warmUpMs;
  const until = from + job.measureMs;
  const latencies: number[] = [];
  let last = from;
  await Promise.all(
    prepared.map(async (statements) => {
      const sql = await openSql(job.databaseUrl);
      let accountId = "";
      for (let turn = 0; performance.now() < until; turn++) {
        if (turn % statements.length === 0) accountId = newId("acct");
        const values = [accountId, ...(statements[turn % statements.length] ?? [])];
        const sent = performance.now();
        await sql.run(INSERT, values, "bare-insert");
        const now = performance.now();
        if (sent >= from && now <= until) {
          latencies.push(now - sent);
          last = Math.max(last, now);
        }
      }
      await sql.close();
    }),
  );
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0;
  return {
    perSecond: ((latencies.length * job.size) / (last - from)) * 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

/** The parameters of every statement of one connection, without the account. */
function statementsOf({ events, size }: BareInsertJob): unknown[][] {
  const made = makeRows("acct_bare", PREPARED_ROWS, (index) => events[index % events.length] ?? {});
  const rows = [...made];
  return Array.from({ length: Math.floor(PREPARED_ROWS / size) }, (_, turn) =>
    valuesOf(rows.slice(turn * size, (turn + 1) * size)),
  );
}

function valuesOf(rows: readonly Row[]): unknown[] {
  const part = (at: number) => rows.map(({ parts }) => parts[at]);
  const bytes = (hexes: readonly string[]) => Buffer.from(hexes.join(""), "hex");
  return [
    rows.map(({ sequenceNumber }) => sequenceNumber),
    rows.map(({ id }) => id),
    rows.map(({ action }) => action),
    rows.map(({ time }) => time),
    part(0),
    part(1),
    part(2),
    part(3),
    part(4),
    rows.map(({ actorId }) => actorId),
    rows.map(({ actorType }) => actorType),
    rows.map(({ targetId }) => targetId),
    rows.map(({ targetType }) => targetType),
    Buffer.concat(rows.map(({ digests }) => digests)),
    bytes(rows.map(({ previousHash }) => previousHash)),
    bytes(rows.map(({ hash }) => hash)),
    Buffer.concat(rows.map(({ salts }) => salts)),
  ];
}
