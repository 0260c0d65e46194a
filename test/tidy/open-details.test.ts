// Guarantee: docs/interface.md and the code agree on what the OpenAPI document marks as a choice of this
// product. Each mark names an id of the table in section 16, and each id there is marked exactly once.

import { expect, test } from "vitest";
import { matches, PRODUCT, textOf } from "../../deploy/generate/sources.ts";

const MARK = /\bopenDetail\("([^"]*)"\)/g;

const [, table = ""] = textOf("docs/interface.md").split(
  "| Choices that `/openapi.json` marks |\n",
);
const listed = matches(table, /^\| \[[^\]]+\]\(#[^)]+\) \|(.*)\|$/gm).flatMap((cell) =>
  matches(cell, /`([a-z-]+)`/g),
);
const marks = PRODUCT.flatMap(({ text }) => matches(text, MARK));

test("the table names what the code marks, each once", () => {
  expect(listed.toSorted()).toStrictEqual(marks.toSorted());
  expect(new Set(marks).size).toBe(marks.length);
  expect(marks.length).toBeGreaterThan(50);
});

test("there is no other way to make a mark", () => {
  const made = PRODUCT.filter(({ text }) => /"x-annals-open-detail"\]?: true/.test(text));
  expect(made.map(({ path }) => path)).toStrictEqual(["services/gateway/src/render/schema.ts"]);
  const calls = PRODUCT.flatMap(({ text }) => matches(text, /\b(openDetail)\(/g));
  expect(calls).toHaveLength(marks.length);
});
