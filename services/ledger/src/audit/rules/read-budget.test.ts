// Guarantee: gateways record at most 1,200 entries of reads in a minute of a ledger, and the next minute has
// as many again.

import { expect, test } from "vitest";
import { MAX_READ_ENTRIES, ReadBudget } from "./read-budget.ts";

test("so many in a minute, and again in the next", () => {
  let now = "2026-01-31T09:30:00.000000Z";
  const budget = new ReadBudget({ nowText: () => now });
  expect(MAX_READ_ENTRIES).toBe(1_200);
  expect([budget.take(1_000), budget.take(1_000), budget.take(1)]).toEqual([1_000, 200, 0]);
  now = "2026-01-31T09:30:59.999999Z";
  expect(budget.take(1)).toBe(0);
  now = "2026-01-31T09:31:00.000000Z";
  expect(budget.take(5_000)).toBe(1_200);
});
