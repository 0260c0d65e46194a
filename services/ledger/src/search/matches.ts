// Compares events of an account with a filter, without reading their parts. Called by find-numbers.ts and
// index-hits.ts, each time for a bounded number of events. The readers of events use its parameters.

import type { Database } from "@annals/postgres";
import type { EventFilter, Values } from "./rules/event-filter.ts";
import { type FilterParams, findInRange, findOfNumbers } from "../store/find-matches.ts";
import type { Range } from "./range.ts";

interface Selection {
  readonly accountId: string;
  readonly filter: EventFilter;
}

export interface Search extends Selection {
  readonly ascending: boolean;
}

/** The numbers, ascending, of the events of a range that match. */
export async function matchesInRange(
  database: Database,
  { accountId, filter }: Selection,
  { from, to }: Range,
): Promise<number[]> {
  const [row] = await database.run(findInRange, [accountId, from, to, ...filterParams(filter)]);
  return ascending(row?.places ?? [], from);
}

/** The numbers, ascending, of the given events that match. */
export async function matchesOf(
  database: Database,
  { accountId, filter }: Selection,
  numbers: readonly number[],
): Promise<number[]> {
  const [row] = await database.run(findOfNumbers, [accountId, numbers, ...filterParams(filter)]);
  return ascending(row?.places ?? [], 0);
}

function ascending(places: readonly number[], from: number): number[] {
  return places.map((place) => from + place).toSorted((one, other) => one - other);
}

export function filterParams(filter: EventFilter): FilterParams {
  const { occurredFrom = null, occurredTo = null, receivedFrom = null, receivedTo = null } = filter;
  const { not = {} } = filter;
  return [
    ...actionParams(filter),
    occurredFrom,
    occurredTo,
    receivedFrom,
    receivedTo,
    ...columnParams(filter),
    ...actionParams(not),
    ...columnParams(not),
  ];
}

/** Neither filters if both are empty. */
function actionParams({ actionPrefixes = [], actions = [] }: Values) {
  return actions.length + actionPrefixes.length === 0
    ? ([null, null] as const)
    : ([actions, actionPrefixes] as const);
}

function columnParams({ actorIds, actorTypes, targetIds, targetTypes }: Values) {
  return [anyOf(actorIds), anyOf(actorTypes), anyOf(targetIds), anyOf(targetTypes)] as const;
}

/** Null does not filter. */
const anyOf = (values: readonly string[] = []): readonly string[] | null =>
  values.length === 0 ? null : values;
