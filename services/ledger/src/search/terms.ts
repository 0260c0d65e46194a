// The terms that a search looks up in the filter index, made from its filter. Called by find-numbers.ts.

import { byBytes, type ValueRange } from "@annals/contract";
import {
  actionsOf,
  type EventFilter,
  hasText,
  hasTime,
  namesValues,
  type Values,
} from "./rules/event-filter.ts";
import { type IndexedField, indexedRanges, inPartsOf, OUTCOME } from "./rules/in-parts.ts";
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

/** `declared` are the declared fields that the index has of all events that are searched. */
export function termsOf(filter: EventFilter, declared: readonly IndexedField[]): Terms {
  const { not = {} } = filter;
  return {
    terms: oneOfEach(termsOfValues(filter, [OUTCOME, ...declared])),
    isAll:
      !hasTime(filter) && !hasText(filter) && !namesValues(not) && inPartsOf(filter).length === 0,
  };
}

/** A term for each member with values, and for each field in a part that is indexed. */
export function termsOfValues(values: Values, indexed: readonly IndexedField[]): readonly Term[] {
  const { actorIds, actorTypes, fields = [], targetIds, targetTypes } = values;
  const actions = actionsOf(values);
  const terms = [
    termOf(FIELD.action, actions?.exact, actions?.ranges),
    termOf(FIELD.actorId, actorIds),
    termOf(FIELD.actorType, actorTypes),
    termOf(FIELD.targetId, targetIds),
    termOf(FIELD.targetType, targetTypes),
    ...fields.flatMap((asked) => {
      const found = indexedRanges(asked, indexed);
      return found ? [fieldTerm(found.field.field, found.ranges)] : [];
    }),
  ];
  return terms.filter(({ ranges }) => ranges.length > 0);
}

/** Of several terms of a field one is looked up. Its events are compared with the others. */
function oneOfEach(terms: readonly Term[]): Term[] {
  return [...Map.groupBy(terms, ({ field }) => field).values()].flatMap((each) => each.slice(0, 1));
}

/** The same of a field in a part. No two of the ranges have a key in common. */
function fieldTerm(field: number, ranges: readonly ValueRange[]): Term {
  const keys = ranges.map(({ since, before }) =>
    before === exactly(since).before ? exactly(keyOf(since)) : keysFrom(since || FIRST_KEY, before),
  );
  return { field, ranges: [exactly(ANY_KEY), ...united(keys)] };
}

/** The least key but {@link ANY_KEY}. */
const FIRST_KEY = "\u0001";

/** The same keys in ranges of which none overlaps another. */
function united(ranges: readonly KeyRange[]): KeyRange[] {
  const found: KeyRange[] = [];
  for (const range of ranges.toSorted((one, other) => byBytes(one.since, other.since))) {
    const last = found.at(-1);
    if (range.since === ANY_KEY || byBytes(range.since, range.before) >= 0) continue;
    if (!last || byBytes(last.before, range.since) <= 0) found.push(range);
    else if (byBytes(last.before, range.before) < 0)
      found.splice(-1, 1, { since: last.since, before: range.before });
  }
  return found;
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
      ...ranges.map(({ from, to }) => keysFrom(from || FIRST_KEY, to)),
    ],
  };
}
