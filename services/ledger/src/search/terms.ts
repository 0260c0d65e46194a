// The terms that a search looks up in the filter index, made from its filter. Called by find-numbers.ts.

import { actionsOf, type EventFilter, hasTime } from "./rules/event-filter.ts";
import { ANY_KEY, exactly, type KeyRange, keyOf, keysFrom } from "./rules/segment.ts";

/** Ranges of the values of a field. An event must have a value in one of them. */
export interface Term {
  /** As in ledger.blocks. */
  readonly field: number;
  /** None overlaps another. */
  readonly ranges: readonly KeyRange[];
}

export interface Terms {
  /** None: every event has to be read. */
  readonly terms: readonly Term[];
  /** Whether an event that has a value of each term matches the filter. */
  readonly isAll: boolean;
}

const FIELD = { action: 1, actorId: 2, actorType: 3, targetId: 4, targetType: 5 };

export function termsOf(filter: EventFilter): Terms {
  const { actorIds, actorTypes, targetIds, targetTypes } = filter;
  const actions = actionsOf(filter);
  const terms = [
    termOf(FIELD.action, actions?.exact, actions?.ranges),
    termOf(FIELD.actorId, actorIds),
    termOf(FIELD.actorType, actorTypes),
    termOf(FIELD.targetId, targetIds),
    termOf(FIELD.targetType, targetTypes),
  ];
  return { terms: terms.filter(({ ranges }) => ranges.length > 0), isAll: !hasTime(filter) };
}

function termOf(
  field: number,
  values: readonly string[] = [],
  ranges: readonly { readonly from: string; readonly to: string | null }[] = [],
): Term {
  if (values.length + ranges.length === 0) return { field, ranges: [] };
  const keys = new Set(values.map(keyOf)).add(ANY_KEY);
  return {
    field,
    ranges: [
      ...[...keys].map((key) => exactly(key)),
      // The empty prefix has the key of all.
      ...ranges.map(({ from, to }) => keysFrom(from === "" ? "\u0001" : from, to)),
    ],
  };
}
