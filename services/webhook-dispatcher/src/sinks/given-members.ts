// Reads members of the operator's file, by their names and types: objects, and filters in the form of POST
// /v1/sinks. Called by operator-sinks-file.ts.

import { fromJson } from "@bufbuild/protobuf";
import { invalid } from "@annals/errors";
import { type WebhookFilter, WebhookFilterSchema } from "@annals/proto/webhook-filters";

export type Members = ReadonlyMap<string, unknown>;

/** The members of an object. Throws `invalid` for something else, and for a name that is not known. */
export function membersOf(field: string, given: unknown, known?: readonly string[]): Members {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalid({ field, message: "must be an object" });
  const members = new Map<string, unknown>(Object.entries(given));
  const unknown = [...members.keys()].find((name) => known && !known.includes(name));
  if (unknown === undefined || !known) return members;
  throw unknownMember(field === "" ? unknown : `${field}.${unknown}`, known);
}

function unknownMember(field: string, known: readonly string[]) {
  return invalid({ field, message: `is not known: the members are ${known.join(", ")}` });
}

/** Each account declares its own fields, so the file names none. */
const LISTS = WebhookFilterSchema.fields
  .map(({ name }) => name)
  .filter((name) => name !== "fields" && name !== "not");

export function givenFilter(given: unknown): WebhookFilter | undefined {
  if (given === undefined) return undefined;
  const members = membersOf("filter", given, [...LISTS, "not"]);
  const not = members.get("not");
  return fromJson(WebhookFilterSchema, {
    ...listsOf("filter", members),
    ...(not !== undefined && { not: listsOf("filter.not", membersOf("filter.not", not, LISTS)) }),
  });
}

function listsOf(within: string, members: Members) {
  const lists = [...members].flatMap(([name, value]) => {
    if (name === "not") return [];
    const values = Array.isArray(value) ? value : [value];
    if (values.every((one) => typeof one === "string")) return [[name, { values }] as const];
    const message = "must be a string or an array of strings";
    throw invalid({ field: `${within}.${name}`, message });
  });
  return Object.fromEntries(lists);
}
