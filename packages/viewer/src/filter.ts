// The filters of a reader as lists of values, by the names of the parameters of a list. Used by whatever
// reads or changes them. A filter with one value is kept as a text, so pages that know no lists go on.

import { type Filters, isFilterName } from "@annals/query";
import type { EventFilter } from "./types.ts";

/** Keeps the names of filters that have values, and drops all other names. */
export function filtersOf(filter: EventFilter): Filters {
  const lists = Object.entries(filter)
    .map(([name, value]) => [name, [value ?? []].flat().filter((one) => one !== "")] as const)
    .filter(([name, values]) => isFilterName(name) && values.length > 0);
  return Object.fromEntries(lists);
}

export function filterFrom(filters: Filters): EventFilter {
  return Object.fromEntries(
    Object.entries(filters).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] ?? "") : [...values],
    ]),
  );
}

/** The filters that leave this value out, too. */
export function excluding(filter: EventFilter, name: string, value: string): EventFilter {
  const filters = filtersOf(filter);
  const excluded = `not.${name}`;
  const values = new Set([...(filters[excluded] ?? []), value]);
  return filterFrom({ ...filters, [excluded]: [...values] });
}

export function isSame(one: EventFilter, other: EventFilter): boolean {
  return keyOf(one) === keyOf(other);
}

/** The same for the same filters, in whatever order they are. */
function keyOf(filter: EventFilter): string {
  return JSON.stringify(Object.entries(filtersOf(filter)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The filters but those of the time. */
export function withoutTimes(filters: Filters): Filters {
  const { occurred_from: _from, occurred_to: _to, ...others } = filters;
  return others;
}

/** The limits of the time: an absent one is undefined. */
export function timesOf(filter: EventFilter): Pick<EventFilter, "occurred_from" | "occurred_to"> {
  const { occurred_from: from, occurred_to: to } = filtersOf(filter);
  return {
    ...(from?.[0] !== undefined && { occurred_from: from[0] }),
    ...(to?.[0] !== undefined && { occurred_to: to[0] }),
  };
}
