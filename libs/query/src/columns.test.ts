// Guarantee: written columns are read in their order, each once and at most twelve. What is no column is left
// out, and a table without one has its default columns.

import { expect, test } from "vitest";
import {
  columnsIn,
  columnsOf,
  DEFAULT_COLUMNS,
  isColumn,
  MAX_COLUMN_LENGTH,
  MAX_COLUMNS,
} from "./columns.ts";

test("columns keep their order, and each is read once", () => {
  expect(columnsIn(" context.ip  actor\toccurred_at actor metadata.plan.id ")).toEqual([
    "context.ip",
    "actor",
    "occurred_at",
    "metadata.plan.id",
  ]);
  expect(columnsOf(DEFAULT_COLUMNS.toReversed().join(" "))).toEqual(DEFAULT_COLUMNS.toReversed());
});

test.each([
  "hash",
  "time",
  "context",
  "context.",
  "context..ip",
  ".ip",
  "field.ip",
  "__proto__",
  "constructor",
  "action.x",
  "Context.ip",
  "<img src=x>",
])("%s is no column", (name) => {
  expect(isColumn(name)).toBe(false);
  expect(columnsOf(name)).toEqual(DEFAULT_COLUMNS);
  expect(columnsOf(`${name} target`)).toEqual(["target"]);
});

test("a name has at most 128 characters, and a table at most twelve columns", () => {
  const longest = `context.${"x".repeat(MAX_COLUMN_LENGTH - "context.".length)}`;
  expect([isColumn(longest), isColumn(`${longest}x`)]).toEqual([true, false]);
  const names = Array.from({ length: MAX_COLUMNS + 1 }, (_, at) => `metadata.n${at}`);
  expect(columnsIn(names.join(" "))).toEqual(names.slice(0, MAX_COLUMNS));
});
