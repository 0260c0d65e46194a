// The filter of a webhook or a sink, as requests and responses have it. Called by the handlers that create,
// change and show them, and for the operator's file. It must never store a value that cannot be compared.

import {
  MAX_ALL_FILTER_VALUES,
  MAX_FILTER_VALUE_LENGTH,
  MAX_FILTER_VALUES,
  MAX_WEBHOOK_FILTER_BYTES,
  rangeOfText,
} from "@annals/contract";
import { invalid } from "@annals/errors";
import type { WebhookFilter as GivenFilter } from "@annals/proto/webhook-filters";
import {
  FILTER_MEMBERS,
  type FilterMember,
  type FilterValues,
  type NamedField,
  namedFields,
  type WebhookFilter,
} from "./rules/webhook-filter.ts";

const MEMBERS = {
  action: "action",
  actor_id: "actorId",
  actor_type: "actorType",
  target_id: "targetId",
  target_type: "targetType",
  outcome: "outcome",
} as const satisfies Readonly<Record<FilterMember | "outcome", keyof GivenFilter>>;

const NAMES = [...FILTER_MEMBERS, "outcome"] as const;

/**
 * Returns a filter with each value once, in the same order; null if it has no member. Throws `invalid` for a
 * member without values, for too many of them, and for one that no event can have.
 */
export function checkFilter(given: GivenFilter | undefined): WebhookFilter | null {
  const counted = { values: 0 };
  const own = given && valuesIn(given, "filter", counted);
  const not = given?.not && valuesIn(given.not, "filter.not", counted);
  const filter = { ...own, ...(not && Object.keys(not).length > 0 && { not }) };
  if (Object.keys(filter).length === 0) return null;
  if (counted.values > MAX_ALL_FILTER_VALUES) {
    const message = `must have at most ${MAX_ALL_FILTER_VALUES} values in all its members`;
    throw invalid({ field: "filter", message });
  }
  if (Buffer.byteLength(JSON.stringify(filter)) > MAX_WEBHOOK_FILTER_BYTES) {
    const message = `must have at most ${MAX_WEBHOOK_FILTER_BYTES} bytes as JSON`;
    throw invalid({ field: "filter", message });
  }
  return filter;
}

function valuesIn(given: GivenFilter, within: string, counted: { values: number }): FilterValues {
  const check = (field: string, values: readonly string[]): string[] => {
    counted.values += values.length;
    return checkValues(field, values);
  };
  const members = NAMES.flatMap((member) => {
    const values = given[MEMBERS[member]]?.values;
    return values ? [[member, check(`${within}.${member}`, values)] as const] : [];
  });
  const fields = given.fields.map(({ ignoreCase, name, path, type, values }) => {
    const field = `${within}.fields.${name}`;
    if (path.length < 2) throw invalid({ field, message: "is not a declared field" });
    const own = check(field, values);
    const fault = own.map((value) => rangeOfText(type, ignoreCase, value)).find(isFault);
    if (fault !== undefined) throw invalid({ field, message: fault });
    return [name, { path, type, ignore_case: ignoreCase, values: own }] as const;
  });
  return {
    ...Object.fromEntries(members),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}

const isFault = (range: unknown): range is string => typeof range === "string";

function checkValues(field: string, values: readonly string[]): string[] {
  const { length } = values;
  if (length === 0) throw invalid({ field, message: "must have at least 1 item" });
  if (length > MAX_FILTER_VALUES) {
    throw invalid({ field, message: `must have at most ${MAX_FILTER_VALUES} items` });
  }
  for (const [index, value] of values.entries()) {
    const fault = faultOf(value);
    if (fault !== undefined) throw invalid({ field: `${field}[${index}]`, message: fault });
  }
  return [...new Set(values)];
}

function faultOf(value: string): string | undefined {
  if (value === "") return "must have at least 1 character";
  if (Array.from(value).length > MAX_FILTER_VALUE_LENGTH) {
    return `must have at most ${MAX_FILTER_VALUE_LENGTH} characters`;
  }
  return value.includes("\0") ? "must not contain the character U+0000" : undefined;
}

type Member = (typeof MEMBERS)[keyof typeof MEMBERS];

interface ValuesMessage extends Partial<Record<Member, { values: string[] }>> {
  fields?: NamedField[];
}

/** The member of a message that has a filter; nothing without one. */
export function filterMember(filter: WebhookFilter | null): {
  readonly filter?: ValuesMessage & { not?: ValuesMessage };
} {
  if (filter === null) return {};
  const { not, ...own } = filter;
  return { filter: { ...messageOf(own), ...(not && { not: messageOf(not) }) } };
}

function messageOf(values: FilterValues): ValuesMessage {
  const members = NAMES.flatMap((member) => {
    const given = values[member];
    return given ? [[MEMBERS[member], { values: [...given] }] as const] : [];
  });
  const fields = namedFields(values);
  return { ...Object.fromEntries(members), ...(fields.length > 0 && { fields }) };
}
