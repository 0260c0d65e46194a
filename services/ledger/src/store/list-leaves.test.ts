// Guarantee: what the leaves of a range cost grows with the range, not with the chain, although PostgreSQL
// has no statistics of the chain, and whether it plans for the parameters or for any.

import { explain, ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { expect, test } from "vitest";
import { newLedgerDatabase } from "../testing/database.ts";
import { listLeaves } from "./list-leaves.ts";

const LENGTH = 10_000;
/** Blocks of 8 KiB for a range of ten events: the index from its root, and the rows. */
const MAX_BLOCKS = 20;

/** Rows of a chain, without true hashes, that lie in no order. */
async function insertChain(database: TestDatabase, accountId: string, length: number) {
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

test.runIf(ON_ONE_SERVER).each(["generic", "custom"] as const)("%s plans", async (plans) => {
  const database = await newLedgerDatabase();
  await database.query("ALTER TABLE ledger.events SET (autovacuum_enabled = false)");
  await insertChain(database, "acct_old", 1_000);
  await database.query("VACUUM ANALYZE ledger.events");
  for (const account of ["acct_a", "acct_b"]) await insertChain(database, account, LENGTH);
  const ranges = `ARRAY['acct_a', 'acct_b'], ARRAY[${LENGTH - 10}, 0], ARRAY[${LENGTH}, 10]`;
  const { blocks, rows } = await explain(database, listLeaves, ranges, plans);
  expect(blocks).toBeLessThan(2 * MAX_BLOCKS);
  expect(rows).toBe(2);
});
