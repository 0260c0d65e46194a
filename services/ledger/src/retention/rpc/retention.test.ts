// Guarantee: an account sees its retention and what limits it, and sets it within its plan. A shorter time
// takes effect after seven days. Each change, and no other call, is in the operator's audit.

import { beforeEach, expect, test } from "vitest";
import { openRetention, type RetentionWorld } from "../../testing/retention-fixtures.ts";

const ACCOUNT = "acct_1";

let world: RetentionWorld;
beforeEach(async () => {
  world = await openRetention();
  world.log.signer.retention = { days: 365, minDays: 30 };
  await world.log.append(ACCOUNT, 10);
});

const get = async () => (await world.client.getRetention({ accountId: ACCOUNT })).retention;
const set = async (days?: number) =>
  (await world.client.setRetention({ accountId: ACCOUNT, ...(days !== undefined && { days }) }))
    .retention;

const audited = async () => {
  const rows = await world.log.owner.query<{ event: string }>(
    "SELECT event FROM ledger.audit_outbox WHERE account_id = $1 ORDER BY number",
    [ACCOUNT],
  );
  return rows.map(({ event }) => JSON.parse(event));
};

test("before a change it is that of the plan", async () => {
  expect(await get()).toMatchObject({
    days: 365,
    limitedBy: "plan",
    planDays: 365,
    minDays: 30,
    throughSequence: 0n,
    retainedFrom: 1n,
  });
  expect((await get())?.hold).toBeUndefined();
});

test("a shorter time waits for seven days, and a longer one is in force at once", async () => {
  const shown = await set(90);
  expect(shown).toMatchObject({ days: 365, limitedBy: "plan", accountDays: 90 });
  expect(Date.parse(shown?.shorterFrom ?? "")).toBe(Date.parse(world.log.time) + 7 * 86_400_000);
  expect(await set(90)).toEqual(shown);
  await world.laterDays(7);
  expect(await get()).toMatchObject({ days: 90, limitedBy: "account", accountDays: 90 });
  expect((await get())?.shorterFrom).toBeUndefined();
  expect(await set(180)).toMatchObject({ days: 180, accountDays: 180 });
  expect(await set()).toMatchObject({ days: 365, limitedBy: "plan" });
  const changes = (await audited()).map(({ action, metadata }) => ({ action, ...metadata }));
  const action = "annals.retention.changed";
  expect(changes).toEqual([
    { action, days: 90, days_before: null, is_delayed: true },
    { action, days: 180, days_before: 90, is_delayed: false },
    { action, days: null, days_before: 180, is_delayed: false },
  ]);
});

test("what the plan does not allow is refused, and nothing changes", async () => {
  await expect(set(29)).rejects.toThrow(/days: must be from 30/);
  await expect(set(366)).rejects.toThrow(/days: must be from 30/);
  expect(await audited()).toEqual([]);
});

test("it names the hold that begins first", async () => {
  await world.hold(ACCOUNT, 5);
  expect((await get())?.hold).toBe("hold_1");
});
