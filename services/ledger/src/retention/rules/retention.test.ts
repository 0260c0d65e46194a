// Guarantee: a longer time is in force at once, a shorter one after seven days, whatever was set before. The
// plan bounds both.

import { expect, test } from "vitest";
import {
  archivesOf,
  changedArchives,
  changedRetention,
  checkArchive,
  checkDays,
  effectiveRetention,
  isArchiving,
  S_PER_DAY,
  settingsOf,
} from "./retention.ts";

const PLAN = { days: 365, minDays: 30 };
const NOTHING = settingsOf(undefined);
const AT = (day: number) => day * S_PER_DAY;
const change = (set = NOTHING, days: number | null = 90, day = 0, plan = PLAN) =>
  changedRetention(plan, set, { days, nowS: AT(day) });
const inForce = (set = NOTHING, day = 0, plan: Parameters<typeof checkDays>[0] = PLAN) =>
  effectiveRetention(plan, set, AT(day));

test("without a setting it is that of the plan, and without a plan never", () => {
  expect(inForce()).toEqual({ days: 365, limitedBy: "plan" });
  expect(inForce(NOTHING, 0, { days: undefined, minDays: 30 })).toEqual({
    days: undefined,
    limitedBy: undefined,
  });
});

test("a shorter time takes effect after seven days", () => {
  const set = change();
  expect(set).toEqual({ days: 90, daysBefore: null, shorterS: AT(7) });
  expect(inForce(set, 6.99)).toEqual({ days: 365, limitedBy: "plan" });
  expect(inForce(set, 7)).toEqual({ days: 90, limitedBy: "account" });
});

test("a longer time is in force at once, also in place of one that waits", () => {
  const set = change();
  expect(change(set, 180, 8)).toEqual({ days: 180, daysBefore: null, shorterS: null });
  expect(change(set, null, 3)).toEqual({ days: null, daysBefore: null, shorterS: null });
});

test("one that is longer than what waits does not wait again, and a shorter one does", () => {
  const set = change();
  expect(change(set, 180, 3)).toEqual({ days: 180, daysBefore: null, shorterS: AT(7) });
  expect(change(set, 60, 3)).toEqual({ days: 60, daysBefore: null, shorterS: AT(10) });
  expect(change(set, 90, 3)).toEqual(set);
  const again = change(set, 60, 8);
  expect(again).toEqual({ days: 60, daysBefore: 90, shorterS: AT(15) });
  expect(inForce(again, 14).days).toBe(90);
});

test("the plan is the longest time, and its floor the shortest, also when it has changed since", () => {
  const set = change(NOTHING, 30);
  expect(inForce(set, 8, { days: 20, minDays: 10 })).toEqual({ days: 20, limitedBy: "plan" });
  expect(inForce(set, 8, { days: 365, minDays: 60 })).toEqual({ days: 60, limitedBy: "account" });
});

test("archives begin at once and end after seven days, if the plan has them", () => {
  const plan = { ...PLAN, archive: true };
  const none = archivesOf(undefined);
  expect(isArchiving(plan, none, AT(0))).toBe(false);
  const on = changedArchives(none, true, AT(0));
  expect(isArchiving(plan, on, AT(0))).toBe(true);
  expect(isArchiving(PLAN, on, AT(0))).toBe(false);
  const ending = changedArchives(on, false, AT(1));
  expect(changedArchives(ending, false, AT(5))).toBe(ending);
  expect(isArchiving(plan, ending, AT(7.99))).toBe(true);
  expect(isArchiving(plan, ending, AT(8))).toBe(false);
  expect(changedArchives(ending, true, AT(2))).toEqual(on);
});

test("a plan without archives refuses them, and lets them end", () => {
  expect(() => checkArchive(PLAN, true)).toThrow(
    /archive: must be false: the plan has no archives/,
  );
  expect(() => checkArchive(PLAN, false)).not.toThrow();
  expect(() => checkArchive({ ...PLAN, archive: true }, true)).not.toThrow();
});

test.each([30, 365, undefined])("%s days are accepted", (days) => {
  expect(() => checkDays(PLAN, days)).not.toThrow();
});

test.each([29, 366])("%s days are refused", (days) => {
  expect(() => checkDays(PLAN, days)).toThrow(
    /must be from 30, the shortest time of the plan, to 365, after which the plan deletes events; or null/,
  );
});
