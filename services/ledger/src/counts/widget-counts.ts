// What the counts of a widget token are of: its own filter bounds each request, and no field of a part that
// it hides is counted. Called by askers.ts. It must never tell of an event that the filter of the token
// hides, nor when one occurred.

import { type Clock, formatMicros } from "@annals/contract";
import { intersectFilters } from "../events/rules/intersect-filters.ts";
import { requireVisible, requireVisibleField } from "../events/rules/visible-filter.ts";
import { type EventFilter, hasValues } from "../search/rules/event-filter.ts";
import type { Asker } from "./answer-counts.ts";
import type { Times } from "./count-times.ts";

/** A filter, and the parts that are shown. */
interface View {
  readonly filter: EventFilter;
  readonly parts: readonly string[];
}

export function allowedIn(view: View): Asker["allow"] {
  return (own, fields) => {
    requireVisible(own, view.parts);
    for (const { path } of fields) requireVisibleField(path, view.parts);
    const both = intersectFilters(view.filter, own);
    // A text in what is hidden would tell it.
    return both && { ...both, textParts: view.parts };
  };
}

/** How far a count goes back by default, and how far a clock of who sends events may be ahead. */
const TEN_YEARS_US = 3_652 * 24 * 60 * 60 * 1_000_000;
const AHEAD_US = 5 * 60 * 1_000_000;

/** Those of the account for a token that shows each event of it, else of the request and the token alone. */
export function timesIn(
  { filter }: View,
  ofAccount: () => Promise<Times>,
  clock: Pick<Clock, "nowMicros">,
): Asker["times"] {
  if (selectsAll(filter)) return ofAccount;
  return ({ occurredFrom, occurredTo }) => {
    const end =
      occurredTo === undefined ? clock.nowMicros() + AHEAD_US : Date.parse(occurredTo) * 1_000;
    return {
      earliest: occurredFrom ?? formatMicros(end - TEN_YEARS_US),
      latest: occurredTo ?? formatMicros(end),
    };
  };
}

function selectsAll(filter: EventFilter): boolean {
  const { afterSequence, beforeSequence, occurredFrom, occurredTo, receivedFrom, receivedTo } =
    filter;
  const ends = [afterSequence, beforeSequence, occurredFrom, occurredTo, receivedFrom, receivedTo];
  return !hasValues(filter) && ends.every((end) => end === undefined);
}
