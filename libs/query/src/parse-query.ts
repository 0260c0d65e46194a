// Reads a query as the filters of a list of events, or says where it is wrong. Used by the viewer.

import { filterOf, OCCURRED } from "./names.ts";
import { type Term, termsOf } from "./terms.ts";

/** Values by the names of the list's parameters, such as `not.field.ip`. */
export type Filters = Readonly<Record<string, readonly string[]>>;

export type FaultKind =
  | "openQuote"
  | "openList"
  | "missingValue"
  | "excludedText"
  | "shortText"
  | "badTime";

/** What is wrong, and where in the query. */
export interface QueryFault {
  readonly kind: FaultKind;
  readonly from: number;
  readonly to: number;
}

const MIN_TEXT = 3;

/** Midnight of a date, by default that of UTC. */
type MidnightOf = (date: string) => string;

const inUtc: MidnightOf = (date) => `${date}T00:00:00Z`;

/** A query with a fault has no filters. */
export function parseQuery(
  query: string,
  midnightOf = inUtc,
): { readonly filters: Filters; readonly fault?: QueryFault } {
  const found = new Map<string, readonly string[]>();
  const words: string[] = [];
  const terms = termsOf(query);
  for (const term of terms) {
    const { from, to, name, isExcluded } = term;
    const kind = faultIn(term);
    if (kind) return { filters: {}, fault: { kind, from, to } };
    const values = term.values.map(({ text }) => text);
    if (name === undefined) words.push(...values);
    else if (filterOf(name) === OCCURRED) {
      const range = isExcluded ? undefined : rangeOf(values, midnightOf);
      if (!range) return { filters: {}, fault: { kind: "badTime", from, to } };
      for (const [limit, time] of range) found.set(limit, [time]);
    } else {
      const filter = (isExcluded ? "not." : "") + filterOf(name);
      found.set(filter, [...new Set([...(found.get(filter) ?? []), ...values])]);
    }
  }
  const text = words.join(" ");
  if (text !== "") found.set("text", [text]);
  const isShort = text !== "" && Array.from(text).length < MIN_TEXT;
  const word = isShort ? terms.find(({ name }) => name === undefined) : undefined;
  if (word) return { filters: {}, fault: { kind: "shortText", from: word.from, to: word.to } };
  return { filters: Object.fromEntries(found) };
}

function faultIn({ name, values, isOpen, isExcluded }: Term): FaultKind | undefined {
  if (values.some((value) => value.isOpen)) return "openQuote";
  if (isOpen) return "openList";
  if (name === undefined) return isExcluded ? "excludedText" : undefined;
  const isMissing = values.length === 0 || values.some(({ text }) => text === "");
  return isMissing ? "missingValue" : undefined;
}

/** The ends of `from..to`, one of which may be missing. */
function rangeOf(
  values: readonly string[],
  midnightOf: MidnightOf,
): readonly (readonly [string, string])[] | undefined {
  const ends = values[0]?.split("..") ?? [];
  if (values.length !== 1 || ends.length !== 2) return undefined;
  const range: [string, string][] = [];
  for (const [at, end] of ends.entries()) {
    if (end === "") continue;
    const time = /^\d{4}-\d\d-\d\d$/.test(end) ? midnightOf(end) : end;
    if (!/^\d{4}-\d\d-\d\dT/.test(time) || Number.isNaN(Date.parse(time))) return undefined;
    range.push([at === 0 ? "occurred_from" : "occurred_to", time]);
  }
  return range.length === 0 ? undefined : range;
}
