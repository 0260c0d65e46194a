// Loads a long chain with COPY, with its head, as if the service had appended it, and waits for the ledger's
// background work. The hashes are valid: verification is one of the measurements. Called by
// measure/long-chain.ts and measure/evidence.ts.

import { setTimeout } from "node:timers/promises";
import { smallEvent } from "./bodies.ts";
import { makeRows, type Row } from "./rows.ts";
import { vacuum } from "./settle.ts";
import { openSql, type Sql } from "./sql.ts";

/** Events in one COPY: the bound of memory. */
const BLOCK = 20_000;

/** Events of a chunk of the filter index (services/ledger/migrations/0001_ledger.sql). */
const CHUNK_SIZE = 4_096;
const SEALED_SIZE = 65_536;
const INDEX_TIMEOUT_MS = 600_000;
/** Ten times what an event with two declared fields takes of a quiet core. */
const INDEX_TIMEOUT_OF_EVENT_MS = 0.6;
const INDEX_POLL_MS = 200;

const EVENTS = `COPY ledger.events (account_id, sequence_number, id, action, occurred_at, received_at, created_at,
  digests, previous_hash, hash, actor, context, diff, metadata, target, salts,
  actor_id, actor_type, target_id, target_type) FROM STDIN`;

type EventAt = (index: number) => object;

export async function loadLongChain(
  databaseUrl: string,
  accountId: string,
  count: number,
  eventAt: EventAt = smallEvent,
): Promise<void> {
  const sql = await openSql(databaseUrl);
  await copyChain(sql, accountId, count, eventAt);
  await vacuum(sql);
  await indexed(sql, accountId, count);
  await sql.run("VACUUM (ANALYZE) ledger.segments, ledger.blocks");
  await sql.close();
}

/** Waits for nothing. */
export async function copyChain(
  sql: Sql,
  accountId: string,
  count: number,
  eventAt: EventAt = smallEvent,
): Promise<void> {
  const rows = makeRows(accountId, count, eventAt);
  let last: Row | undefined;
  for (let block = take(rows, BLOCK); block.length > 0; block = take(rows, BLOCK)) {
    await sql.copy(EVENTS, lines(accountId, block));
    last = block.at(-1);
  }
  // An account that has declared fields has a head already.
  await sql.run(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash) VALUES ($1, $2, decode($3, 'hex'))
     ON CONFLICT (account_id) DO UPDATE SET sequence_number = excluded.sequence_number, hash = excluded.hash`,
    [accountId, last?.sequenceNumber, last?.hash],
  );
}

/** Resolves when the ledger has indexed a chain of this many events, and has sealed what is complete. */
async function indexed(sql: Sql, accountId: string, count: number): Promise<void> {
  const deadline =
    performance.now() + Math.max(INDEX_TIMEOUT_MS, count * INDEX_TIMEOUT_OF_EVENT_MS);
  for (;;) {
    const [row] = await sql.rows<{ fresh: string; sealed: string }>(
      `SELECT count(*) FILTER (WHERE level = 0) AS fresh, count(*) FILTER (WHERE level = 1) AS sealed
       FROM ledger.segments WHERE account_id = '${accountId}'`,
    );
    const [fresh, sealed] = [Number(row?.fresh), Number(row?.sealed)];
    const isSealed = sealed === Math.floor(count / SEALED_SIZE);
    if (isSealed && fresh === Math.floor(count / CHUNK_SIZE)) return;
    if (performance.now() > deadline) throw new Error("the ledger does not index the chain");
    await setTimeout(INDEX_POLL_MS);
  }
}

function take(rows: Iterator<Row>, size: number): Row[] {
  const block: Row[] = [];
  while (block.length < size) {
    const { done, value } = rows.next();
    if (done) break;
    block.push(value);
  }
  return block;
}

/** Lines a piece, so that a piece is worth a write. */
const PIECE = 200;

function* lines(accountId: string, rows: readonly Row[]): Generator<string> {
  for (let at = 0; at < rows.length; at += PIECE) {
    yield rows
      .slice(at, at + PIECE)
      .map((row) => `${columns(accountId, row).map(copyText).join("\t")}\n`)
      .join("");
  }
}

function columns(accountId: string, row: Row): readonly (string | number | null)[] {
  const { sequenceNumber, id, action, occurredAt, time, digests, previousHash, hash } = row;
  const { parts, salts, actorId, actorType, targetId, targetType } = row;
  const binary = [digests.toString("hex"), previousHash, hash].map(bytea);
  const leaf = [sequenceNumber, id, action, occurredAt, time, time, ...binary];
  const copies = [actorId, actorType, targetId, targetType];
  return [accountId, ...leaf, ...parts, bytea(salts.toString("hex")), ...copies];
}

const bytea = (hex: string): string => `\\x${hex}`;

/** The text format of COPY: a backslash, a tab and line ends are escaped, null is \N. */
function copyText(value: string | number | null): string {
  if (value === null) return "\\N";
  const text = String(value);
  return /[\\\t\n\r]/.test(text)
    ? text
        .replaceAll("\\", "\\\\")
        .replaceAll("\t", "\\t")
        .replaceAll("\n", "\\n")
        .replaceAll("\r", "\\r")
    : text;
}
