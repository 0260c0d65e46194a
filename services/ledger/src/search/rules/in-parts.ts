// The values that a filter asks for in the parts of events: as ledger.has_values compares them, and the
// fields of the index that have them (0001_ledger.sql). Called by the searches.

import type { ValueRange } from "@annals/contract";
import type { EventFilter, FieldValues } from "./event-filter.ts";
import { rangesOf } from "./field-ranges.ts";

/** What ledger.values_of reads. */
export interface PlaceInParts {
  readonly part: string;
  /** An array of texts as PostgreSQL writes it. */
  readonly members: string;
  readonly type: string;
  readonly ignore_case: boolean;
}

/**
 * What ledger.has_values reads: an event needs a value from one `since` up to but not including its `before`.
 */
export interface InParts extends PlaceInParts {
  readonly since: readonly string[];
  /** Null: no end. */
  readonly before: readonly (string | null)[];
  /** Whether it must have none. */
  readonly is_excluded: boolean;
}

/** Empty: the columns of an event say whether it matches. */
export function inPartsOf({ fields = [], not = {} }: EventFilter): InParts[] {
  return [
    ...fields.map((each) => inPart(each, false)),
    ...(not.fields ?? []).map((each) => inPart(each, true)),
  ];
}

function inPart(field: FieldValues, isExcluded: boolean): InParts {
  const ranges = rangesOf(field);
  return {
    ...placeOf(field),
    since: ranges.map(({ since }) => since),
    before: ranges.map(({ before }) => before),
    is_excluded: isExcluded,
  };
}

export function placeOf({
  ignoreCase,
  path,
  type,
}: Pick<FieldValues, "ignoreCase" | "path" | "type">): PlaceInParts {
  const [part = "", ...members] = path;
  return {
    part,
    members: `{${members.map(quoted).join(",")}}`,
    type,
    ignore_case: ignoreCase,
  };
}

function quoted(member: string): string {
  return `"${member.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A field of the index, as far as it has it. */
export interface IndexedField {
  readonly field: number;
  readonly path: readonly string[];
  readonly type: string;
  readonly ignore_case: boolean;
}

/** `metadata.outcome`. */
export const OUTCOME: IndexedField = {
  field: 6,
  path: ["metadata", "outcome"],
  type: "string",
  ignore_case: false,
};

/** The field of the index with the same values, and the ranges of them that are asked for. */
export function indexedRanges(
  asked: FieldValues,
  indexed: readonly IndexedField[],
): { readonly field: IndexedField; readonly ranges: readonly ValueRange[] } | undefined {
  const field = indexed.find((each) => isOf(asked, each));
  return field && { field, ranges: rangesOf(asked) };
}

/** Whether they have the same values. */
export function isOf(asked: FieldValues, indexed: IndexedField): boolean {
  return (
    indexed.type === asked.type &&
    indexed.ignore_case === asked.ignoreCase &&
    JSON.stringify(indexed.path) === JSON.stringify(asked.path)
  );
}
