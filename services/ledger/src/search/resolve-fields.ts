// Finds what a client calls a field among those that its account has declared. Called by the handlers of
// lists. What is stored somewhere else keeps path and type, so that it selects the same when the field is
// deleted.

import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { EventFilter, FieldValues } from "./rules/event-filter.ts";
import { type FieldRow, listSearchFields } from "../store/list-search-fields.ts";

/** Throws `invalid` for a name that is not declared. */
export async function resolveFields(
  database: Database,
  accountId: string,
  filter: EventFilter,
): Promise<EventFilter> {
  const { fields = [], not } = filter;
  const excluded = not?.fields ?? [];
  if (![...fields, ...excluded].some(isNamed)) return filter;
  const declared = await database.run(listSearchFields, [accountId]);
  const resolve = (each: FieldValues) => (isNamed(each) ? resolved(each, declared) : each);
  return {
    ...filter,
    fields: fields.map(resolve),
    ...(not && { not: { ...not, fields: excluded.map(resolve) } }),
  };
}

const isNamed = ({ path }: FieldValues): boolean => path.length === 0;

function resolved({ name, values }: FieldValues, declared: readonly FieldRow[]): FieldValues {
  const field = declared.find((each) => each.name === name);
  if (!field) {
    const message = "is not a declared field: POST /v1/search/fields declares one";
    throw invalid({ field: `field.${name}`, message });
  }
  return { name, path: field.path, type: field.type, ignoreCase: field.ignore_case, values };
}
