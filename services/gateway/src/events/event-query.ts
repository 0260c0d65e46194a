// The filters of a list of events, as the ledger gets them. Called by the routes that list and export, and by
// the one that creates widget tokens.

import { parseTimestamp } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { EventFilterSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Static } from "typebox";
import { type FilterBody, MAX_ALL_VALUES } from "./render-event-filter.ts";

type Filters = Static<typeof FilterBody>;

const VALUE_FILTERS = ["action", "actor_id", "actor_type", "target_id", "target_type"] as const;
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
  const values = valuesOf(filters, within);
  const [occurredFrom, occurredTo, receivedFrom, receivedTo] = TIME_FILTERS.map((name) =>
    time(within + name, filters[name]),
  );
  const { after_sequence: after, before_sequence: before } = filters;
  const [prefixes, actions] = partition(values.action, (action) => action.endsWith("*"));
  return {
    actions,
    actionPrefixes: prefixes.map((prefix) => prefix.slice(0, -1)),
    actorIds: values.actor_id,
    actorTypes: values.actor_type,
    targetIds: values.target_id,
    targetTypes: values.target_type,
    ...(occurredFrom !== undefined && { occurredFrom }),
    ...(occurredTo !== undefined && { occurredTo }),
    ...(receivedFrom !== undefined && { receivedFrom }),
    ...(receivedTo !== undefined && { receivedTo }),
    ...(after !== undefined && { afterSequence: BigInt(after) }),
    ...(before !== undefined && { beforeSequence: BigInt(before) }),
  };
}

/** A filter as it is stored and shown. Throws `invalid` if it is too large. */
export function filterText(filter: Filters): string {
  const text = JSON.stringify(filter);
  if (Buffer.byteLength(text) > MAX_JSON_BYTES)
    throw invalid({ field: "filter", message: `must have at most ${MAX_JSON_BYTES} bytes` });
  return text;
}

/** The values of each filter, each once. */
function valuesOf(
  filters: Filters,
  within: string,
): Record<(typeof VALUE_FILTERS)[number], string[]> {
  let count = 0;
  const all = VALUE_FILTERS.map((name) => {
    const values = [filters[name] ?? []].flat();
    count += values.length;
    if (count > MAX_ALL_VALUES) {
      const message = `makes more than ${MAX_ALL_VALUES} values in all filters`;
      throw invalid({ field: within + name, message });
    }
    for (const [index, value] of values.entries()) {
      const field = within + name + (values.length > 1 ? `[${index}]` : "");
      requireStorable(field, value);
    }
    return [name, [...new Set(values)]];
  });
  return Object.fromEntries(all) as Record<(typeof VALUE_FILTERS)[number], string[]>;
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
