// The terms that a search looks up in the filter index, made from its filter. Called by find-numbers.ts.

import type { Database } from "@annals/postgres";
import { actionsOf, type EventFilter, hasTime } from "./rules/event-filter.ts";
import { findActions } from "./store/find-actions.ts";
import type { Budget } from "./budget.ts";

/** Values of a field, each once. An event must have one of them. */
export interface Term {
  readonly field: string;
  readonly values: readonly string[];
}

export interface Terms {
  readonly terms: readonly Term[];
  /** Whether an event that has a value of each term matches the filter. */
  readonly isAll: boolean;
}

/** Maximum actions with a prefix that are looked up in the index. If there are more, most events match. */
const MAX_ACTIONS = 64;

/** Resolves to no terms if every event has to be read. */
export async function termsOf(
  database: Database,
  { accountId, filter }: { readonly accountId: string; readonly filter: EventFilter },
  budget: Budget,
): Promise<Terms> {
  const terms = exactTerms(filter);
  const isAll = !hasTime(filter);
  const actions = actionsOf(filter);
  if (!actions) return { terms, isAll };
  const { exact, ranges } = actions;
  if (ranges.length === 0) return { terms: [...terms, { field: "action", values: exact }], isAll };
  const froms = ranges.map(({ from }) => from);
  const tos = ranges.map(({ to }) => to);
  const found = await database.run(findActions, [accountId, froms, tos, MAX_ACTIONS + 1]);
  budget.spend(found.length + ranges.length);
  if (found.length > MAX_ACTIONS) return { terms, isAll: false };
  const values = [...exact, ...found.map(({ action }) => action)];
  return { terms: [...terms, { field: "action", values }], isAll };
}

function exactTerms({ actorIds, actorTypes, targetIds, targetTypes }: EventFilter): Term[] {
  const all = {
    actor_id: actorIds,
    actor_type: actorTypes,
    target_id: targetIds,
    target_type: targetTypes,
  };
  return Object.entries(all).flatMap(([field, values = []]) =>
    values.length === 0 ? [] : [{ field, values: [...new Set(values)] }],
  );
}
