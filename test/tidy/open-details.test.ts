// Guarantee: docs/open-details.md and the code agree on what the OpenAPI document marks as a choice of this
// product. Each mark names a row, each row with a ° is marked in exactly one place, and each row has its
// reason.

import { describe, expect, test } from "vitest";
import { matches, PRODUCT, textOf } from "../../deploy/generate/sources.ts";

const PAGE = "docs/open-details.md";
const ROW = /^\| `([a-z-]+)`(°?) \|([^|]+)\|([^|]+)\|([^|]+)\|$/;
const HEAD = /^\|(?: Id \| Detail \| Choice \| Reason \||(?:---\|)+)$/;
const MARK = /\bopenDetail\("([^"]*)"\)/g;

const lines = textOf(PAGE)
  .split("\n")
  .filter((line) => line.startsWith("|") && !HEAD.test(line));
const rows = lines.map((line) => {
  const [, id = "", mark = "", ...cells] = ROW.exec(line) ?? [];
  return { id, line, isMarked: mark !== "", cells: cells.map((cell) => cell.trim()) };
});
const marked = rows.filter(({ isMarked }) => isMarked).map(({ id }) => id);
const marks = PRODUCT.flatMap(({ text }) => matches(text, MARK));

test("every row has an id of its own, a detail, a choice and a reason", () => {
  expect(rows.filter(({ id }) => id === "").map(({ line }) => line)).toStrictEqual([]);
  expect(rows.filter(({ cells }) => cells.includes(""))).toStrictEqual([]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(100);
});

describe("marks", () => {
  test("each names a row that says so", () => {
    expect(marks.filter((mark) => !marked.includes(mark))).toStrictEqual([]);
    expect(marks.length).toBeGreaterThan(25);
  });

  test("each row that says so has exactly one", () => {
    const counts = marked.map((id) => [id, marks.filter((mark) => mark === id).length]);
    expect(counts.filter(([, count]) => count !== 1)).toStrictEqual([]);
  });

  test("there is no other way to make one", () => {
    const made = PRODUCT.filter(({ text }) => /"x-annals-open-detail"\]?: true/.test(text));
    expect(made.map(({ path }) => path)).toStrictEqual(["services/gateway/src/render/schema.ts"]);
    const calls = PRODUCT.flatMap(({ text }) => matches(text, /\b(openDetail)\(/g));
    expect(calls).toHaveLength(marks.length);
  });
});
