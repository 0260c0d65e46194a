// What the filter index has to say of an event for it to match a filter, one condition for each member of the
// filter. Called by read-segments.ts. Unlike the terms of a list, which say where to look, they decide.

import { hasText, type EventFilter, type FieldValues } from "../search/rules/event-filter.ts";
import { isOf, type IndexedField } from "../search/rules/in-parts.ts";
import type { Condition } from "./rules/piece.ts";
import { type Term, termsOfValues } from "../search/terms.ts";

export interface Conditions {
  readonly conditions: readonly (Condition & Term)[];
  /** Whether the index decides, but for times and for events whose values it does not have. */
  readonly isAll: boolean;
}

/** `indexed` are the fields in parts that the index has of the segment. */
export function conditionsOf(filter: EventFilter, indexed: readonly IndexedField[]): Conditions {
  const { not = {} } = filter;
  const fields = [...(filter.fields ?? []), ...(not.fields ?? [])];
  const isIndexed = (each: FieldValues) => indexed.some((field) => isOf(each, field));
  return {
    conditions: [
      ...termsOfValues(filter, indexed).map((term) => ({ ...term, isExcluded: false })),
      ...termsOfValues(not, indexed).map((term) => ({ ...term, isExcluded: true })),
    ],
    isAll: !hasText(filter) && fields.every(isIndexed),
  };
}
