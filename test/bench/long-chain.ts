// Loads a long chain with COPY, with its head, as if the service had appended it, and waits for the ledger's
// background work. The hashes are valid: verification is one of the measurements. Called by
// measure/long-chain.ts.

import { setTimeout } from "node:timers/promises";
import { smallEvent } from "./bodies.ts";
import { makeRows, type Row } from "./rows.ts";
import { vacuum } from "./settle.ts";
import { openSql, type Sql } from "./sql.ts";

/** Events in one COPY of each table: the bound of memory. */
const BLOCK = 20_000;

/** Events of a chunk of the filter index (services/ledger/migrations/0006_filter-index.sql). */
const CHUNK_SIZE = 4_096;
const INDEX_TIMEOUT_MS = 600_000;
const INDEX_POLL_MS = 200;

const CHAIN = `COPY ledger.chain (account_id, sequence_number, id, action, occurred_at, received_at,
  created_at, digests, previous_hash, hash) FROM STDIN`;
const PAYLOADS = `COPY ledger.payloads (account_id, sequence_number, actor, context, diff, metadata,
  target, salts, actor_id, actor_type, target_id, target_type) FROM STDIN`;

export async function loadLongChain(
  databaseUrl: string,
  accountId: string,
  count: number,
  eventAt: (index: number) => object = smallEvent,
): Promise<void> {
  // One connection per table, so that PostgreSQL uses two cores.
  const [sql, second] = [await openSql(databaseUrl), await openSql(databaseUrl)];
  const rows = makeRows(accountId, count, eventAt);
  let last: Row | undefined;
  for (let block = take(rows, BLOCK); block.length > 0; block = take(rows, BLOCK)) {
    await Promise.all([
      sql.copy(
        CHAIN,
        lines(block, (row) => chainColumns(accountId, row)),
      ),
      second.copy(
        PAYLOADS,
        lines(block, (row) => payloadColumns(accountId, row)),
      ),
    ]);
    last = block.at(-1);
  }
  await sql.run(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     VALUES ($1, $2, decode($3, 'hex'))`,
    [accountId, last?.sequenceNumber, last?.hash],
  );
  await vacuum(sql);
  await indexed(sql, accountId, Math.floor(count / CHUNK_SIZE));
  await sql.run("VACUUM (ANALYZE) ledger.chunks, ledger.postings");
  await Promise.all([sql.close(), second.close()]);
}

/** Resolves when the ledger has indexed this many chunks of the account. */
async function indexed(sql: Sql, accountId: string, chunks: number): Promise<void> {
  const deadline = performance.now() + INDEX_TIMEOUT_MS;
  for (;;) {
    const [row] = await sql.rows<{ chunks: string }>(
      `SELECT count(*) AS chunks FROM ledger.chunks WHERE account_id = '${accountId}'`,
    );
    if (Number(row?.chunks) >= chunks) return;
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

function* lines(
  rows: readonly Row[],
  columns: (row: Row) => readonly (string | number | null)[],
): Generator<string> {
  for (let at = 0; at < rows.length; at += PIECE) {
    yield rows
      .slice(at, at + PIECE)
      .map((row) => `${columns(row).map(copyText).join("\t")}\n`)
      .join("");
  }
}

function chainColumns(accountId: string, row: Row) {
  const { sequenceNumber, id, action, occurredAt, time, digests, previousHash, hash } = row;
  const binary = [digests.toString("hex"), previousHash, hash].map((hex) => `\\x${hex}`);
  return [accountId, sequenceNumber, id, action, occurredAt, time, time, ...binary];
}

function payloadColumns(accountId: string, row: Row) {
  const { sequenceNumber, parts, salts, actorId, actorType, targetId, targetType } = row;
  const salt = `\\x${salts.toString("hex")}`;
  return [accountId, sequenceNumber, ...parts, salt, actorId, actorType, targetId, targetType];
}

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
