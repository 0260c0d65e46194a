// The terms that a search looks up in the filter index, made from its filter. Called by find-numbers.ts.

import type { Database } from "@annals/postgres";
import { actionRange, type EventFilter, hasTime } from "../domain/event-filter.ts";
import { findActions } from "../store/find-actions.ts";
import type { Budget } from "./budget.ts";

/** Values of a field. An event must have one of them. */
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
  const { from, to } = actionRange(filter);
  if (from === null) return { terms, isAll };
  const found = await database.run(findActions, [accountId, from, to, MAX_ACTIONS + 1]);
  budget.spend(found.length);
  if (found.length > MAX_ACTIONS) return { terms, isAll: false };
  const actions = { field: "action", values: found.map(({ action }) => action) };
  return { terms: [...terms, actions], isAll };
}

function exactTerms(filter: EventFilter): Term[] {
  const { actorId, actorType, targetId, targetType } = filter;
  const values = {
    action: actionRange(filter).exact ?? undefined,
    actor_id: actorId,
    actor_type: actorType,
    target_id: targetId,
    target_type: targetType,
  };
  return Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, values: [value] }],
  );
}
