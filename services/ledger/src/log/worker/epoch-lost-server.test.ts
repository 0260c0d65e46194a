// Guarantees of the log where tables are distributed and a server is away: epochs go on with the heads of the
// other accounts, and those of the server's own stay what they were. An epoch that has heads of the lost
// server as its proposal waits for them, and is then the same. Afterwards everything is covered.

import { systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { asDatabaseClock, lostServer } from "@annals/testing";
import { beforeEach, expect, test } from "vitest";
import { NEVER } from "../../testing/block-fixtures.ts";
import { openPool } from "../../testing/database.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";
import { LogThinning } from "./log-thinning.ts";

const [AWAY, THERE] = ["acct_1", "acct_2"];
const DAY_S = 86_400;

let log: TestLog;
let lost: Set<string>;

beforeEach(async () => {
  log = await TestLog.open();
  lost = new Set();
});

const beside = (pool: Pool): Pool => ({
  ...pool,
  run: lostServer<Pool["run"]>((...given) => pool.run(...given), lost),
});

/** Both chains grow, and an epoch is due. */
async function growBoth(): Promise<void> {
  log.later(INTERVAL_S);
  await log.grow(AWAY, 1);
  await log.grow(THERE, 1);
}

test("epochs go on with the other accounts; those of the server are covered when it is back", async () => {
  const closer = log.newCloser(beside);
  await growBoth();
  await closer.run();
  lost.add(AWAY);
  for (let epoch = 2; epoch <= 4; epoch += 1) {
    await growBoth();
    await closer.run();
    expect(await log.checkedEpochs()).toHaveLength(epoch);
  }
  expect(await log.sizesIn("4")).toEqual({ [AWAY]: 1, [THERE]: 4 });
  lost.clear();
  log.later(INTERVAL_S);
  await closer.run();
  expect(await log.checkedEpochs()).toHaveLength(5);
  expect(await log.sizesIn("5")).toEqual({ [AWAY]: 4, [THERE]: 4 });
});

test("a server that is lost after the proposal: the same epoch is closed when it is back", async () => {
  const closer = log.newCloser((pool) => {
    const around = beside(pool);
    return {
      ...around,
      run: async (statement, params) => {
        const rows = await around.run(statement, params);
        if (statement.name === "ledger.propose") lost.add(AWAY);
        return rows;
      },
    };
  });
  await growBoth();
  await expect(closer.run()).rejects.toThrow("a server is away");
  const proposal = "SELECT proposal, proposal_heads FROM ledger.logs";
  const [proposed] = await log.owner.query<{ proposal: string }>(proposal);
  await growBoth();
  await expect(closer.run()).rejects.toThrow("a server is away");
  expect(await log.owner.query(proposal)).toEqual([proposed]);
  expect(await log.checkedEpochs().catch(() => [])).toEqual([]);
  lost.clear();
  await closer.run();
  const [closed] = await log.checkedEpochs();
  expect(closed?.entry).toBe(proposed?.proposal);
  expect(await log.sizesIn("1")).toEqual({ [AWAY]: 1, [THERE]: 1 });
});

test("a process that begins meanwhile closes no epoch until the server is back", async () => {
  await growBoth();
  await log.newCloser(beside).run();
  await log.endClaim();
  lost.add(AWAY);
  await growBoth();
  const closer = log.newCloser(beside);
  await expect(closer.run()).rejects.toThrow("a server is away");
  expect(await log.checkedEpochs()).toHaveLength(1);
  lost.clear();
  await closer.run();
  expect(await log.checkedEpochs()).toHaveLength(2);
  expect(await log.sizesIn("2")).toEqual({ [AWAY]: 2, [THERE]: 2 });
});

test("heads are thinned account by account, and no map is forgotten before all of its heads", async () => {
  const closer = log.newCloser(beside);
  for (let epoch = 1; epoch <= 4; epoch += 1) {
    await growBoth();
    await closer.run();
  }
  log.later(2 * DAY_S);
  const thinned: unknown[] = [];
  let isLosing = true;
  const pool = openPool(log.owner.url);
  const run = lostServer<Pool["run"]>(async (statement, params) => {
    if (statement.name === "ledger.thin-account-heads") thinned.push(params[0]);
    // It is lost while the accounts are worked on.
    const rows = await pool.run(statement, params);
    if (statement.name === "ledger.list-tree-heads" && isLosing) lost.add(AWAY);
    return rows;
  }, lost);
  const thinning = new LogThinning({
    clock: asDatabaseClock({ ...systemClock(), nowMicros: () => Date.parse(log.time) * 1e3 }),
    database: { run },
  });
  const kept = "SELECT count(*)::integer FROM ledger.epochs WHERE buckets IS NOT NULL";
  await expect(thinning.run(NEVER)).rejects.toThrow("a server is away");
  expect(await log.owner.query(kept)).toEqual([{ count: 4 }]);
  lost.clear();
  isLosing = false;
  await thinning.run(NEVER);
  expect(await log.owner.query(kept)).toEqual([{ count: 2 }]);
  const rows = "SELECT count(*)::integer FROM ledger.account_heads WHERE account_id = $1";
  for (const accountId of [AWAY, THERE])
    expect(await log.owner.query(rows, [accountId])).toEqual([{ count: 2 }]);
  for (const accounts of thinned) expect(accounts).toHaveLength(1);
});
