// Guarantee: verification begins with the first event that retention has left, and continues its leaves and
// the tree. What is deleted or marked as deleted without a record, and a changed leaf, are found.

import { beforeEach, expect, test } from "vitest";
import { openRetention, type RetentionWorld } from "../testing/retention-fixtures.ts";

const ACCOUNT = "acct_1";
const DAYS = 30;

let world: RetentionWorld;
beforeEach(async () => {
  world = await openRetention();
  world.log.signer.retention = { days: DAYS, minDays: 7 };
  await world.log.append(ACCOUNT, 300);
  await world.cover();
  await world.laterDays(DAYS);
  await world.log.append(ACCOUNT, 10);
  await world.newReplica().passes();
});

async function verify() {
  const { checked, firstInvalid, retainedFrom } = await world.client.verifyChain({
    accountId: ACCOUNT,
  });
  return { checked: Number(checked), firstInvalid, from: Number(retainedFrom) };
}

test("a chain whose events were deleted is valid from the first one that is left", async () => {
  expect(await verify()).toEqual({ checked: 11, firstInvalid: undefined, from: 301 });
});

const change = (set: string, number: number) =>
  world.log.owner.query(
    `UPDATE ledger.events SET ${set} WHERE account_id = $1 AND sequence_number = $2`,
    [ACCOUNT, number],
  );

const found = async () => {
  const { firstInvalid } = await verify();
  return firstInvalid && Number(firstInvalid.sequenceNumber);
};

test("deleted events without a record are missing", async () => {
  await world.log.owner.query("DELETE FROM ledger.events WHERE sequence_number < 305");
  await world.log.owner.query("UPDATE ledger.lifecycles SET deleted_through = 304");
  expect(await found()).toBe(1);
});

test("so is an event that is marked as deleted", async () => {
  await change("erased = 32", 305);
  expect(await found()).toBe(305);
});

test("so is a changed leaf, and a missing one", async () => {
  await change("action = 'other'", 300);
  expect(await found()).toBe(300);
  await world.log.owner.query("DELETE FROM ledger.events WHERE sequence_number = 299");
  expect(await found()).toBe(299);
});

test("so is a first event that does not continue the leaves", async () => {
  await change("previous_hash = decode(repeat('00', 32), 'hex')", 301);
  expect(await found()).toBe(301);
});
