// Guarantee: what is looked up of a chain costs what is asked for and not what the chain has, although
// PostgreSQL has no statistics of the chain, and whether it plans for the parameters or for any.

import { explain, ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { newLedgerDatabase } from "../../testing/database.ts";
import { listDeletedMatches } from "../../erasures/store/erasure-matches.ts";
import { listLeaves } from "../../store/list-leaves.ts";

const LENGTH = 10_000;
/** Blocks of 8 KiB for a range of ten events: the index from its root, and the rows. */
const MAX_BLOCKS = 20;
/** Blocks for an event that is looked up by its number. */
const BLOCKS_PER_EVENT = 6;

let database: TestDatabase;

beforeEach(async () => {
  database = await newLedgerDatabase();
  await database.query("ALTER TABLE ledger.events SET (autovacuum_enabled = false)");
  await insertChain("acct_old", 1_000);
  await database.query("VACUUM ANALYZE ledger.events");
  for (const account of ["acct_a", "acct_b"]) await insertChain(account, LENGTH);
});

/** Rows of a chain, without true hashes, that lie in no order. */
async function insertChain(accountId: string, length: number) {
  await database.query(
    `INSERT INTO ledger.events (account_id, sequence_number, id, action, occurred_at, received_at, created_at, digests,
       previous_hash, hash, actor, context, diff, metadata, target, salts)
     SELECT $1, 1 + number * 7919 % $2, 'evt_' || number, 'a', '', '', '', decode(repeat('00', 160), 'hex'),
       sha256(convert_to($1 || 1 + number * 7919 % $2, 'UTF8')), sha256(convert_to($1 || 2 + number * 7919 % $2, 'UTF8')),
       '{}', '{}', '{}', '{}', '{}', decode(repeat('00', 80), 'hex')
     FROM generate_series(1, $2::bigint) AS number`,
    [accountId, length],
  );
}

describe.runIf(ON_ONE_SERVER).each(["generic", "custom"] as const)("with %s plans", (plans) => {
  test("the leaves of ranges", async () => {
    const after = [String(LENGTH - 10), "0"];
    const to = [String(LENGTH), "10"];
    const params = [["acct_a", "acct_b"], after, to] as const;
    const { blocks, rows } = await explain(database, listLeaves, [...params], plans);
    expect(rows).toBe(2);
    expect(blocks).toBeLessThan(2 * MAX_BLOCKS);
  });

  test("which numbers of an erasure are of deleted events", async () => {
    const insert = "INSERT INTO ledger.lifecycles (account_id, records_from, deleted_through)";
    await database.query(`${insert} VALUES ('acct_a', 0, $1)`, [LENGTH]);
    const numbers = Array.from({ length: 100 }, (_, at) => 1 + at * 99);
    const found = await explain(database, listDeletedMatches, ["acct_a", numbers], plans);
    expect(found.rows).toBe(numbers.length);
    expect(found.blocks).toBeLessThan(BLOCKS_PER_EVENT * numbers.length);
  });
});
