// Guarantee: retention neither records nor deletes anything while the clocks of the ledger and of the
// database differ, because neither is then known to be right.

import { expect, test } from "vitest";
import { openRetention } from "../../testing/retention-fixtures.ts";

const ACCOUNT = "acct_1";
const DAYS = 30;

test("a turn that has begun deletes nothing more once the clock is wrong", async () => {
  const world = await openRetention();
  world.log.signer.retention = { days: DAYS, minDays: 7 };
  await world.log.append(ACCOUNT, 300);
  await world.cover();
  await world.laterDays(DAYS);
  // The clock steps between the record and the first chunk that is deleted.
  const { passes } = world.newReplica((pool) => ({
    ...pool,
    transaction: async (work, bytesOf) => {
      const result = await pool.transaction(work, bytesOf);
      world.setFault("a month ahead");
      return result;
    },
  }));
  await expect(passes()).rejects.toThrow(/a month ahead/);
  expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 299, deleted: 0 });
});

test("nothing is deleted while the clock is wrong, not even what a record names", async () => {
  const world = await openRetention();
  world.log.signer.retention = { days: DAYS, minDays: 7 };
  await world.log.append(ACCOUNT, 300);
  await world.cover();
  await world.laterDays(DAYS);
  const { pass, passes } = world.newReplica();
  world.setFault("a month ahead");
  await expect(pass()).rejects.toThrow(/a month ahead/);
  expect(await world.lifecycle(ACCOUNT)).toBeUndefined();
  world.setFault(undefined);
  // The record is there, and its events are not deleted yet.
  await world.log.owner.query("ALTER FUNCTION ledger.expire RENAME TO later");
  await passes().catch(() => undefined);
  await world.log.owner.query("ALTER FUNCTION ledger.later RENAME TO expire");
  expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 299, deleted: 0 });
  world.setFault("a month ahead");
  await world.laterDays(1);
  await expect(pass()).rejects.toThrow(/a month ahead/);
  expect(await world.lifecycle(ACCOUNT)).toMatchObject({ deleted: 0 });
});
