// Compares events of an account with a filter, without reading their parts. Called by find-numbers.ts and
// index-hits.ts, each time for a bounded number of events.

import type { Database } from "@annals/postgres";
import {
  actionRange,
  type EventFilter,
  hasPayloadValues,
  hasTime,
} from "../domain/event-filter.ts";
import {
  findByChain,
  findByPayload,
  findByBoth,
  findOfNumbers,
  type ChainFilter,
  type PayloadFilter,
} from "../store/find-matches.ts";
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
  const range = [accountId, from, to] as const;
  const chain = chainFilter(filter);
  const payload = payloadFilter(filter);
  const byChain = filter.action !== undefined || hasTime(filter);
  const [row] = !hasPayloadValues(filter)
    ? await database.run(findByChain, [...range, ...chain])
    : byChain
      ? await database.run(findByBoth, [...range, ...chain, ...payload])
      : await database.run(findByPayload, [...range, ...payload]);
  return ascending(row?.places ?? [], from);
}

/** Those of some numbers, ascending, whose events have an action and a time that match. */
export async function matchesOf(
  database: Database,
  { accountId, filter }: Selection,
  numbers: readonly number[],
): Promise<number[]> {
  const [row] = await database.run(findOfNumbers, [accountId, numbers, ...chainFilter(filter)]);
  return ascending(row?.places ?? [], 0);
}

function ascending(places: readonly number[], from: number): number[] {
  return places.map((place) => from + place).toSorted((one, other) => one - other);
}

export function chainFilter(filter: EventFilter): ChainFilter {
  const action = actionRange(filter);
  const { occurredFrom = null, occurredTo = null } = filter;
  return [action.exact, action.from, action.to, occurredFrom, occurredTo];
}

export function payloadFilter(filter: EventFilter): PayloadFilter {
  const { actorId = null, actorType = null, targetId = null, targetType = null } = filter;
  return [actorId, actorType, targetId, targetType];
}
