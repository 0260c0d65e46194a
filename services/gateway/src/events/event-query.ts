// The filters of a list of events, as the ledger gets them. Called by the routes that list and export, and by
// the one that creates widget tokens.

import { MAX_ALL_FILTER_VALUES, parseTimestamp } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { EventFilterSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Static, TObject } from "typebox";
import {
  FIELD_PARAMETER,
  type listFilterMembers,
  type SearchFilterBody,
} from "./render-event-filter.ts";

/** Those of a list; a body has some of them. */
type Filters = Static<TObject<typeof listFilterMembers>>;

const VALUE_FILTERS = [
  "action",
  "actor_id",
  "actor_type",
  "target_id",
  "target_type",
  "outcome",
] as const;
type ValueFilter = (typeof VALUE_FILTERS)[number];
const EXCLUDED = "not.";
const FIELD_FILTERS = "field.";
const ALL_FILTERS = [
  ...VALUE_FILTERS,
  ...VALUE_FILTERS.map((name) => `${EXCLUDED}${name}` as const),
];
const TIME_FILTERS = ["occurred_from", "occurred_to", "received_from", "received_to"] as const;

/** What a filter may have as JSON. It has no more as a message, in the admission of a widget token. */
const MAX_JSON_BYTES = 8_192;

/**
 * Throws `invalid` for an invalid time, for too many values and for a text that no event can contain.
 * `within` is the prefix of member names in errors: `filter.` if they are members of that object.
 */
export function filterRequest(
  filters: Filters,
  within = "",
): MessageInitShape<typeof EventFilterSchema> {
  const fields = Object.keys(filters).filter((name) => FIELD_PARAMETER.test(name));
  const values = valuesOf(filters, [...ALL_FILTERS, ...fields], within);
  const named = (isExcluded: boolean) =>
    fields
      .filter((name) => name.startsWith(EXCLUDED) === isExcluded)
      .map((name) => ({ name: nameOf(name), values: values[name] ?? [] }));
  const excluded = valuesRequest((name) => values[`not.${name}`] ?? [], named(true));
  const [occurredFrom, occurredTo, receivedFrom, receivedTo] = TIME_FILTERS.map((name) =>
    time(within + name, filters[name]),
  );
  const { after_sequence: after, before_sequence: before } = filters;
  const texts = [filters.text ?? []].flat();
  for (const text of texts) requireStorable(`${within}text`, text);
  return {
    ...(texts.length > 0 && { texts }),
    ...valuesRequest((name) => values[name] ?? [], named(false)),
    ...(Object.values(excluded).some(({ length }) => length > 0) && { not: excluded }),
    ...(occurredFrom !== undefined && { occurredFrom }),
    ...(occurredTo !== undefined && { occurredTo }),
    ...(receivedFrom !== undefined && { receivedFrom }),
    ...(receivedTo !== undefined && { receivedTo }),
    ...(after !== undefined && { afterSequence: BigInt(after) }),
    ...(before !== undefined && { beforeSequence: BigInt(before) }),
  };
}

const OUTCOME = { name: "outcome", path: ["metadata", "outcome"], type: "string" };

/** Values of a field. The ledger knows the rest of a declared one. */
interface NamedValues {
  readonly name: string;
  readonly values: string[];
}

const nameOf = (parameter: string): string =>
  parameter.slice(parameter.indexOf(FIELD_FILTERS) + FIELD_FILTERS.length);

function valuesRequest(
  given: (name: ValueFilter) => readonly string[],
  named: readonly NamedValues[],
) {
  const [prefixes, actions] = partition(given("action"), (action) => action.endsWith("*"));
  return {
    actions,
    actionPrefixes: prefixes.map((prefix) => prefix.slice(0, -1)),
    actorIds: [...given("actor_id")],
    actorTypes: [...given("actor_type")],
    targetIds: [...given("target_id")],
    targetTypes: [...given("target_type")],
    fields: [
      ...(given("outcome").length > 0 ? [{ ...OUTCOME, values: [...given("outcome")] }] : []),
      ...named,
    ],
  };
}

/** The same for a filter in a body. Throws `invalid` for a name that no field can have, too. */
export function bodyFilterRequest(
  filter: Static<typeof SearchFilterBody>,
): MessageInitShape<typeof EventFilterSchema> {
  const { not = {}, ...own } = filter;
  const excluded = Object.entries(flat(not)).map(([name, values]) => [EXCLUDED + name, values]);
  return filterRequest({ ...flat(own), ...Object.fromEntries(excluded) }, "filter.");
}

function flat({ fields = {}, ...rest }: { readonly fields?: Readonly<Record<string, unknown>> }) {
  const named = Object.entries(fields).map(([name, values]) => {
    const parameter = FIELD_FILTERS + name;
    if (FIELD_PARAMETER.test(parameter)) return [parameter, values];
    const message =
      "has a name that no field can have: 1 to 64 of A to Z, a to z, 0 to 9, _, - and .";
    throw invalid({ field: "filter.fields", message });
  });
  return { ...rest, ...Object.fromEntries(named) };
}

/** Whether the ledger has to say what fields it names. */
export function namesFields({
  fields = [],
  not,
}: MessageInitShape<typeof EventFilterSchema>): boolean {
  return [...fields, ...(not?.fields ?? [])].some(({ path = [] }) => path.length === 0);
}

/** A filter as it is stored and shown. Throws `invalid` if it is too large. */
export function filterText(filter: Static<typeof SearchFilterBody>): string {
  const text = JSON.stringify(filter);
  if (Buffer.byteLength(text) > MAX_JSON_BYTES)
    throw invalid({ field: "filter", message: `must have at most ${MAX_JSON_BYTES} bytes` });
  return text;
}

/** The values of each filter, each once. */
function valuesOf(
  filters: Filters,
  names: readonly string[],
  within: string,
): Readonly<Record<string, string[]>> {
  const given: Readonly<Record<string, unknown>> = filters;
  let count = 0;
  const all = names.map((name) => {
    const values = [given[name] ?? []].flat() as string[];
    count += values.length;
    if (count > MAX_ALL_FILTER_VALUES) {
      const message = `makes more than ${MAX_ALL_FILTER_VALUES} values in all filters`;
      throw invalid({ field: within + placeOf(name, within), message });
    }
    for (const [index, value] of values.entries()) {
      const field = within + placeOf(name, within) + (values.length > 1 ? `[${index}]` : "");
      requireStorable(field, value);
    }
    return [name, [...new Set(values)]] satisfies [string, string[]];
  });
  return Object.fromEntries(all);
}

/** In a body, declared fields are members of an object. */
function placeOf(name: string, within: string): string {
  return within === "" ? name : name.replace(/^(not\.)?field\./, "$1fields.");
}

/** PostgreSQL refuses text with this character: as a parameter it would cause an internal error. */
function requireStorable(field: string, value: string): void {
  if (value.includes("\0"))
    throw invalid({ field, message: "must not contain the character U+0000" });
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}

function time(field: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  // A plus sign in a query string is read as a space.
  const parsed = parseTimestamp(given.replace(" ", "+"));
  if (parsed === undefined) {
    const message =
      "must be an ISO 8601 date and time with an offset, such as 2026-01-31T09:30:00Z";
    throw invalid({ field, message });
  }
  return parsed;
}
