// Writes filters as the query that is read as them again. Used by the viewer.

import { nameOf, OCCURRED } from "./names.ts";
import type { Filters } from "./parse-query.ts";
import { isSpecial } from "./terms.ts";

const NOT = "not.";

/** Filters without a value are left out. */
export function printQuery(filters: Filters): string {
  return termsIn(filters).join(" ");
}

/** The terms of the query, one for each filter; the text comes last. */
export function termsIn(filters: Filters): readonly string[] {
  const { text = [], occurred_from: from = [], occurred_to: to = [], ...others } = filters;
  const terms = Object.entries(others).flatMap(([filter, values]) => termOf(filter, values));
  const range = [...from, ...to].length > 0 ? [`${OCCURRED}:${from[0] ?? ""}..${to[0] ?? ""}`] : [];
  return [...terms, ...range, ...text.filter((one) => one !== "").map(wordsOf)];
}

/** A value as it is written after a colon. */
export function printValue(value: string): string {
  return /[\s"()]/.test(value) || value === "" ? quoted(value) : value;
}

function termOf(filter: string, values: readonly string[]): string[] {
  const written = values.filter((value) => value !== "").map(printValue);
  if (written.length === 0) return [];
  const isExcluded = filter.startsWith(NOT);
  const name = (isExcluded ? "-" : "") + nameOf(isExcluded ? filter.slice(NOT.length) : filter);
  return [`${name}:${written.length === 1 ? written.join("") : `(${written.join(" ")})`}`];
}

function wordsOf(text: string): string {
  const isPlain = text.split(" ").every((word) => /^\S+$/.test(word) && !isSpecial(word));
  return isPlain ? text : quoted(text);
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
