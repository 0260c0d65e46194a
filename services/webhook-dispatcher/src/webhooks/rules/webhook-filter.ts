// The filter of a webhook or a sink: which events it is sent. It selects as the filters of a list do
// (docs/interface.md, webhook-filter). Called by the fan-out for each event and webhook, and when a filter is
// stored. It must never match by a value that an event no longer has.

import { byBytes, rangeOfText, type ValueRange } from "@annals/contract";
import { internal } from "@annals/errors";

export const FILTER_MEMBERS = [
  "action",
  "actor_id",
  "actor_type",
  "target_id",
  "target_type",
] as const;

export type FilterMember = (typeof FILTER_MEMBERS)[number];

/** A field, as the ledger finds its values: whatever becomes of the declaration. */
export interface FieldPlace {
  /** Begins with the part. */
  readonly path: readonly string[];
  readonly type: string;
  readonly ignore_case: boolean;
}

export interface StoredField extends FieldPlace {
  /** As the client has sent them. */
  readonly values: readonly string[];
}

/** An event must have one of the values of each member. Members without values match no event. */
export interface FilterValues extends Readonly<Partial<Record<FilterMember, readonly string[]>>> {
  readonly outcome?: readonly string[];
  /** By their names. */
  readonly fields?: Readonly<Record<string, StoredField>>;
}

/** Members without values are left by an erasure. */
export interface WebhookFilter extends FilterValues {
  /** An event that has one of the values of any member does not match. Each member has values. */
  readonly not?: FilterValues;
}

/** What filters read of an event. A value that was erased, or never there, is absent. */
export interface EventValues extends Readonly<Partial<Record<FilterMember, string>>> {
  /** Those of each field that was asked for, by {@link keyOf}, in the order of their bytes. */
  readonly fields?: ReadonlyMap<string, readonly string[]>;
}

/** `metadata.outcome`. */
const OUTCOME: FieldPlace = { path: ["metadata", "outcome"], type: "string", ignore_case: false };

/** Equal for fields with the same values. */
export function keyOf({ ignore_case: ignoreCase, path, type }: FieldPlace): string {
  return JSON.stringify([path, type, ignoreCase]);
}

/** Whether an account has declared it: every account has its outcomes. */
export function isDeclared(field: FieldPlace): boolean {
  return keyOf(field) !== keyOf(OUTCOME);
}

/** The fields with what is asked of each. */
function askedOf({ fields = {}, outcome }: FilterValues): StoredField[] {
  return [...(outcome ? [{ ...OUTCOME, values: outcome }] : []), ...Object.values(fields)];
}

/** The fields whose values a filter reads, each once. */
export function placesOf(filters: Iterable<WebhookFilter>): FieldPlace[] {
  const places = new Map<string, FieldPlace>();
  for (const { not = {}, ...own } of filters)
    for (const { ignore_case, path, type } of [...askedOf(own), ...askedOf(not)])
      places.set(keyOf({ ignore_case, path, type }), { ignore_case, path, type });
  return [...places.values()];
}

/** Whether an event is selected. It reads what the filter says once. */
export function selectorOf({ not, ...own }: WebhookFilter): (event: EventValues) => boolean {
  const needed = testsOf(own);
  const excluding = testsOf(not ?? {});
  return (event) =>
    needed.every((isMatched) => isMatched(event)) &&
    !excluding.some((isMatched) => isMatched(event));
}

type Test = (event: EventValues) => boolean;

/** Of each member. */
function testsOf(values: FilterValues): Test[] {
  const columns = FILTER_MEMBERS.flatMap((member) => {
    const given = values[member];
    if (given === undefined) return [];
    return [
      (event: EventValues) => {
        const own = event[member];
        return own !== undefined && given.some((value) => hasValue(member, value, own));
      },
    ];
  });
  return [...columns, ...askedOf(values).map(fieldTest)];
}

/** An action with `*` at its end is a prefix. */
function hasValue(member: FilterMember, value: string, own: string): boolean {
  if (member === "action" && value.endsWith("*")) return own.startsWith(value.slice(0, -1));
  return own === value;
}

function fieldTest({ ignore_case: ignoreCase, path, type, values }: StoredField): Test {
  const key = keyOf({ path, type, ignore_case: ignoreCase });
  const ranges = values.map((value) => {
    const range = rangeOfText(type, ignoreCase, value);
    if (typeof range === "string") throw internal(`a value of a stored filter ${range}`);
    return range;
  });
  return ({ fields }) => {
    const own = fields?.get(key);
    if (!own) throw internal("a field of a filter was not asked for");
    return ranges.some((range) => isIn(own, range));
  };
}

/** Whether one of the values, which ascend, is in a range. */
function isIn(values: readonly string[], { before, since }: ValueRange): boolean {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byBytes(values[middle] ?? "", since) < 0) low = middle + 1;
    else high = middle;
  }
  const first = values[low];
  return first !== undefined && (before === null || byBytes(first, before) < 0);
}

/** Reads the values from the JSON text of an event, without those of fields. An erased part is `{}`. */
export function valuesOf(json: string): EventValues {
  const { action, actor, target } = JSON.parse(json) as Readonly<{
    action: string;
    actor: Readonly<Record<string, unknown>>;
    target: Readonly<Record<string, unknown>>;
  }>;
  const values = {
    action,
    actor_id: actor["id"],
    actor_type: actor["type"],
    target_id: target["id"],
    target_type: target["type"],
  };
  const present = Object.entries(values).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(present);
}

/** Whether no event matches, because an erasure has left a member without values. */
export function isEmptied(filter: WebhookFilter): boolean {
  const members = FILTER_MEMBERS.map((member) => filter[member]);
  const fields = askedOf(filter).map(({ values }) => values);
  return [...members, ...fields].some((values) => values?.length === 0);
}

/** A field of a filter as messages have it. */
export interface NamedField {
  name: string;
  path: string[];
  type: string;
  ignoreCase: boolean;
  values: string[];
}

export function namedFields({ fields = {} }: FilterValues): NamedField[] {
  return Object.entries(fields).map(([name, { ignore_case: ignoreCase, path, type, values }]) => ({
    name,
    path: [...path],
    type,
    ignoreCase,
    values: [...values],
  }));
}
