// Guarantee: at rest the workers that follow the appends run a few statements a minute, and are given one row
// for each page of accounts, however many accounts have done nothing. A page has each account that lacks
// something.

import { createLog } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import { expect, test } from "vitest";
import { GrownChains } from "./append/grown-chains.ts";
import { TreeBuilder } from "./log/worker/tree-builder.ts";
import { findTreeWork } from "./log/store/find-tree-work.ts";
import { findIndexWork } from "./search/store/find-index-work.ts";
import { FilterIndex } from "./search/worker/filter-index.ts";
import { NEVER } from "./testing/block-fixtures.ts";
import { newLedgerDatabase, openPool } from "./testing/database.ts";

const ACCOUNTS = 900;
const MINUTE_MS = 60_000;
/** Each of the two reads a list every 15 seconds. */
const MOST = 2 * 5;

test("two workers over 900 accounts with nothing to do", async () => {
  const owner = await newLedgerDatabase();
  await owner.query(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     SELECT 'acct_' || n, 5000, sha256('x') FROM generate_series(1, ${ACCOUNTS}) AS n;
     INSERT INTO ledger.segments SELECT account_id, 0, 0, '', '', '', '' FROM ledger.heads;
     INSERT INTO ledger.trees SELECT account_id, 5000, sha256('x'), 0, sha256('x') FROM ledger.heads`,
  );
  const pool = openPool(owner.url);
  let [statements, rows] = [0, 0];
  const run: Pool["run"] = async (given, params) => {
    const found = await pool.run(given, params);
    statements += 1;
    rows += found.length;
    return found;
  };
  const grown = new GrownChains();
  const log = createLog({ service: "test", level: "error" });
  const none = (): void => {};
  const database = { run };
  const workers = [
    new FilterIndex({ database, grown, log, lag: none }),
    new TreeBuilder({ database, grown, log, lag: none, mismatched: none }),
  ];
  for (const worker of workers)
    for (let atMs = 0; atMs < MINUTE_MS;) atMs += Math.max(1, await worker.run(NEVER));
  expect(statements).toBeGreaterThan(1);
  expect(statements).toBeLessThanOrEqual(MOST);
  expect(rows).toBeLessThanOrEqual(MOST);
});

test("a page has the accounts that lack something, and its last one", async () => {
  const owner = await newLedgerDatabase();
  await owner.query(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     SELECT 'acct_' || n, 8192, sha256('x') FROM generate_series(1, 5) AS n;
     INSERT INTO ledger.segments
     SELECT account_id, 0, base, '', '', '', '' FROM ledger.heads, (VALUES (0), (4096)) AS given (base)
     WHERE account_id <> 'acct_2' OR base = 0;
     INSERT INTO ledger.trees
     SELECT account_id, CASE account_id WHEN 'acct_2' THEN 8190 WHEN 'acct_5' THEN 8193 ELSE 8192 END, sha256('x'), 0,
       sha256('x') FROM ledger.heads`,
  );
  const pool = openPool(owner.url);
  const ends = { sealed: "0", deleted: "0", last: "8192" };
  expect(await pool.run(findIndexWork, ["", 3])).toEqual([
    { account_id: "acct_2", indexed: "4096", ...ends, accounts: 3 },
    { account_id: "acct_3", indexed: "8192", ...ends, accounts: 3 },
  ]);
  expect(await pool.run(findIndexWork, ["acct_3", 3])).toEqual([
    { account_id: "acct_5", indexed: "8192", ...ends, accounts: 2 },
  ]);
  expect(await pool.run(findTreeWork, ["", 3])).toEqual([
    { account_id: "acct_2", lacking: "2", accounts: 3 },
    { account_id: "acct_3", lacking: "0", accounts: 3 },
  ]);
  expect(await pool.run(findTreeWork, ["acct_3", 3])).toEqual([
    { account_id: "acct_5", lacking: "-1", accounts: 2 },
  ]);
  expect(await pool.run(findTreeWork, ["acct_5", 3])).toEqual([]);
});
