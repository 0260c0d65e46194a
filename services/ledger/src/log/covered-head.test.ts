// Guarantees: each size that a served epoch has of an account is found, in whichever of its epochs the head
// changed; a size between two of them, one of an epoch that is not served, and one of another account are not
// found. The search reads a head for each halving of the epochs, however many there are.

import type { Database } from "@annals/postgres";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newLedgerDatabase, openPool } from "../testing/database.ts";
import { coveredHeadOf } from "./covered-head.ts";

const SERVED = 1_500;
const NOT_SERVED = SERVED + 1;
const ACCOUNT = "acct_1";
/** An epoch in which each head changed, by its size: gaps of every length up to 40 epochs. */
const EPOCHS_BY_SIZE = new Map<number, number>();
for (let [epoch, size] = [3, 2]; epoch <= SERVED; epoch += 1 + (size % 40), size += 1 + (epoch % 7))
  EPOCHS_BY_SIZE.set(size, epoch);
const LARGEST = Math.max(...EPOCHS_BY_SIZE.keys());

let database: Database;

beforeAll(async () => {
  const owner = await newLedgerDatabase(afterAll);
  database = openPool(owner.url, { atEnd: afterAll }).forAccount(ACCOUNT);
  await owner.query(
    `INSERT INTO ledger.epochs (log, epoch, entry, time, checkpoint, quorum_at)
     VALUES (1, $1, '', '', '', now()), (1, $2, '', '', '', NULL)`,
    [SERVED, NOT_SERVED],
  );
  const insert = `INSERT INTO ledger.account_heads (account_id, log, epoch, size, root)
    SELECT $1, 1, epoch, size, decode(repeat('00', 32), 'hex')
    FROM unnest($2::bigint[], $3::bigint[]) AS given (epoch, size)`;
  const [sizes, epochs] = [[...EPOCHS_BY_SIZE.keys()], [...EPOCHS_BY_SIZE.values()]];
  await owner.query(insert, [ACCOUNT, [...epochs, NOT_SERVED], [...sizes, LARGEST + 1]]);
  await owner.query(insert, ["acct_2", [1], [1]]);
});

/** The epoch in which the head of this size changed; undefined if the size is not found. */
const epochOf = (size: number) =>
  coveredHeadOf(database, ACCOUNT, BigInt(size)).then(
    (head) => head.epoch,
    (error: Error) => {
      expect(error.message).toBe("No epoch that is kept has this size of the account's log.");
      return undefined;
    },
  );

test("every size is found in its epoch, and no other size is found", async () => {
  for (let size = 1; size <= LARGEST + 2; size += 1)
    expect([size, await epochOf(size)]).toEqual([size, EPOCHS_BY_SIZE.get(size)]);
});

test("the newest is that of the newest served epoch", async () => {
  const { epoch, servedEpoch, size } = await coveredHeadOf(database, ACCOUNT, 0n);
  expect([size, epoch, servedEpoch]).toEqual([LARGEST, EPOCHS_BY_SIZE.get(LARGEST), SERVED]);
});

test("a search reads at most one head for each halving of the epochs", async () => {
  const run = vi.spyOn(database, "run");
  await epochOf(LARGEST + 1);
  expect(run.mock.calls.length).toBeGreaterThan(2);
  expect(run.mock.calls.length).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(SERVED + 1)));
  run.mockRestore();
});
