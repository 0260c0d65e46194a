// Guarantee: every route of v1.ts says what it takes of its account and bounds its rows, bytes and time, and
// docs/route-bounds.md says the same. Where the ledger bounds the rows, its number is the same.

import { V1 } from "@annals/gateway/src/v1.ts";
import { expect, test } from "vitest";
import { routeBoundsPage } from "./route-bounds.ts";
import { textOf } from "./sources.ts";

/** What the ledger reads to find a page. */
const BUDGETS = [
  ["list-events", /\brows: ([\d_]+)/g],
  ["list-widget-events", /\brows: ([\d_]+)/g],
  ["list-widget-filters", /^const (?:MAX_EVENTS|BUDGET_ROWS) = ([\d_]+)/gm],
] as const;

const numberOf = (text: string | undefined): number => Number(text?.replaceAll("_", ""));

test.each(V1)("%s %s (%s) %s", (_method, _path, _scope, _name, _make, bounds) => {
  expect(["slot", "lists", "verifications", "downloads"]).toContain(bounds?.resource);
  expect(["deadline", "verification", "transfer"]).toContain(bounds.time);
  const { bytes, rows } = bounds;
  expect(rows === "chain" || (Number.isFinite(rows) && rows > 0)).toBe(true);
  expect(bytes === "body" || (Number.isFinite(bytes) && bytes > 0)).toBe(true);
});

test.each(BUDGETS)("%s reads as many rows as its row of v1.ts says", (name, pattern) => {
  const text = textOf(`services/ledger/src/rpc/${name}.ts`);
  const budgets = [...text.matchAll(pattern)].map(([, rows]) => numberOf(rows));
  const [, , , , , bounds] = V1.find(([, , , one]) => one === name) ?? expect.fail(name);
  expect(budgets.length).toBeGreaterThan(0);
  expect(bounds.rows).toBe(budgets.reduce((sum, rows) => sum + rows, 0));
});

test("the page is up to date: `npm run generate` makes it", () => {
  expect(textOf("docs/route-bounds.md")).toBe(routeBoundsPage());
});
