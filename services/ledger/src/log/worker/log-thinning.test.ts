// Guarantees: all heads of a day can be proved, then one of each hour for two weeks, then one of each day,
// and that of epoch 1. What the accounts' heads were in a kept epoch does not change.

import { systemClock } from "@annals/contract";
import { asDatabaseClock } from "@annals/testing";
import { pathFromBuckets, parseEntry, readBuckets, verifyHead } from "@annals/tlog";
import { beforeEach, expect, test } from "vitest";
import { NEVER } from "../../testing/block-fixtures.ts";
import { openPool } from "../../testing/database.ts";
import { TestLog } from "../../testing/test-log.ts";
import { LogThinning } from "./log-thinning.ts";

const [BUSY, IDLE] = ["acct_1", "acct_2"];
const MINUTES = 60;
const [HOUR_S, DAY_S] = [3_600, 86_400];

let log: TestLog;

beforeEach(async () => {
  log = await TestLog.open();
});

async function thin(): Promise<void> {
  const thinning = new LogThinning({
    clock: asDatabaseClock({ ...systemClock(), nowMicros: () => Date.parse(log.time) * 1e3 }),
    database: openPool(log.owner.url),
  });
  await thinning.run(NEVER);
}

const keptEpochs = async () =>
  (
    await log.owner.query<{ epoch: string }>(
      "SELECT epoch FROM ledger.epochs WHERE buckets IS NOT NULL ORDER BY epoch",
    )
  ).map(({ epoch }) => Number(epoch));

const rowsOf = async (accountId: string) =>
  (
    await log.owner.query<{ epoch: string }>(
      "SELECT epoch FROM ledger.account_heads WHERE account_id = $1 ORDER BY epoch",
      [accountId],
    )
  ).map(({ epoch }) => Number(epoch));

async function expectProved(): Promise<void> {
  const rows = await log.owner.query<{ epoch: string; entry: string; buckets: Buffer }>(
    "SELECT epoch, entry, buckets FROM ledger.epochs WHERE buckets IS NOT NULL",
  );
  for (const { buckets, entry, epoch } of rows) {
    const said = parseEntry(entry);
    const heads = await log.headsOf(epoch);
    if (said.kind !== "heads") throw new Error("another kind");
    expect(heads).toHaveLength(2);
    for (const head of heads) {
      const { siblings } = pathFromBuckets(readBuckets(buckets), head.chain, heads);
      verifyHead(said.heads, head, siblings);
    }
  }
}

test("epochs of three hours, as they become older", async () => {
  const closer = log.newCloser();
  await log.grow(IDLE, 1);
  for (let minute = 0; minute < 3 * MINUTES; minute += 1) {
    await log.grow(BUSY, 1);
    if (minute === 100) await log.grow(IDLE, 1);
    await closer.run();
    log.later(60);
  }
  const all = Array.from({ length: 3 * MINUTES }, (_, at) => at + 1);
  expect(await keptEpochs()).toEqual(all);
  log.later(DAY_S - 3 * HOUR_S);
  await thin();
  expect(await keptEpochs()).toEqual(all);

  log.later(HOUR_S);
  await thin();
  expect(await keptEpochs()).toEqual([1, 60, ...all.slice(60)]);
  expect(await rowsOf(BUSY)).toEqual([1, 60, ...all.slice(60)]);
  await expectProved();

  log.later(2 * HOUR_S);
  await thin();
  expect(await keptEpochs()).toEqual([1, 60, 120, 180]);
  expect(await rowsOf(BUSY)).toEqual([1, 60, 120, 180]);
  // The head that it has in epoch 60 is that of epoch 1.
  expect(await rowsOf(IDLE)).toEqual([1, 101]);
  await expectProved();

  log.later(14 * DAY_S);
  await thin();
  expect(await keptEpochs()).toEqual([1, 180]);
  await expectProved();
  expect(await log.owner.query("SELECT count(*)::integer FROM ledger.epochs")).toEqual([
    { count: 180 },
  ]);
});
