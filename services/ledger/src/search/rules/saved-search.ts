// What a search that an account keeps may be, and what is left of one when a value is erased. Called by the
// RPCs of saved searches and by forget-values.ts. It must never leave an erased value in a text.

import { type ErasedValues, hasErasedWord } from "@annals/contract";
import { AnnalsError, invalid } from "@annals/errors";
import type { EventFilter, FieldValues } from "./event-filter.ts";
import { inPartsOf } from "./in-parts.ts";

/** What is stored of a search besides its id and its times. */
export interface SearchTexts {
  readonly name: string;
  /** JSON objects, as the client sent them. */
  readonly filter: string;
  readonly view: string;
  /** JSON of `NamedField[]`. */
  readonly fields: string;
}

/** A declared field that a filter names, as it was when the filter was set. */
export type NamedField = Omit<FieldValues, "values">;

/** Saved searches of an account. */
const MAX_SEARCHES = 100;
/** Bytes of the texts of one. */
const MAX_BYTES = 4_096;
/** The name of a search whose own one had an erased value. */
const ERASED_NAME = "(erased)";

/** Throws `plan_count_exceeded` if the account has as many as it may have. */
export function requireFewSearches(saved: number): void {
  if (saved < MAX_SEARCHES) return;
  const message = `An account can have ${MAX_SEARCHES} saved searches. Delete one first.`;
  throw new AnnalsError("plan_count_exceeded", message);
}

/** Throws `invalid`, which names the longest member. */
export function requireSmall({ fields, filter, name, view }: SearchTexts): void {
  const sizes = Object.entries({ name, filter: filter + fields, view }).map(
    ([field, text]) => [field, Buffer.byteLength(text)] as const,
  );
  if (sizes.reduce((sum, [, size]) => sum + size, 0) <= MAX_BYTES) return;
  const [[field] = ["filter"] as const] = sizes.toSorted(([, one], [, other]) => other - one);
  const message = `makes the search larger than ${MAX_BYTES} bytes, with name, filter, view and the paths of fields`;
  throw invalid({ field, message });
}

/**
 * The fields that a filter names, each once. `resolved` is the filter with their paths and types. Throws
 * `invalid` for a value that its type does not have.
 */
export function namedFields(filter: EventFilter, resolved: EventFilter): string {
  inPartsOf(resolved);
  const names = new Set(
    fieldsOf(filter).flatMap(({ name, path }) => (path.length > 0 ? [] : [name])),
  );
  const found = new Map<string, NamedField>();
  for (const { ignoreCase, name, path, type } of fieldsOf(resolved))
    if (names.has(name)) found.set(name, { name, path: [...path], type, ignoreCase });
  return JSON.stringify([...found.values()]);
}

const fieldsOf = ({ fields = [], not }: EventFilter): readonly FieldValues[] => [
  ...fields,
  ...(not?.fields ?? []),
];

/** The search without the values of an erasure; undefined if it has none of them. */
export function withoutValues<Search extends SearchTexts>(
  search: Search,
  erased: ErasedValues,
): Search | undefined {
  const filter = JSON.stringify(filterWithout(JSON.parse(search.filter), erased));
  const name = hasErasedWord(search.name, erased) ? ERASED_NAME : search.name;
  const view = hasErasedWord(textsOf(JSON.parse(search.view)), erased) ? "{}" : search.view;
  const isSame = filter === search.filter && name === search.name && view === search.view;
  return isSame ? undefined : { ...search, name, filter, view };
}

type Members = Readonly<Record<string, unknown>>;

/** The members keep their order, and what has no value left goes. */
function filterWithout(filter: Members, erased: ErasedValues): Members {
  const left = (name: string, given: unknown): unknown => {
    const { actorId, targetId } = erased;
    if (name === "actor_id") return textsWithout(given, [actorId]);
    if (name === "target_id") return textsWithout(given, [targetId]);
    if (name === "text") return hasErasedWord(String(given), erased) ? undefined : given;
    if (name === "not") return membersOf(given, left);
    // The id of a person may be in any declared field, also as a prefix.
    const ids = [actorId, targetId].flatMap((id) => (id === undefined ? [] : [id, `${id}*`]));
    return name === "fields" ? membersOf(given, (_, value) => textsWithout(value, ids)) : given;
  };
  return membersOf(filter, left) ?? {};
}

/** Undefined if there were members, and none is left. */
function membersOf(
  given: unknown,
  leftOf: (name: string, value: unknown) => unknown,
): Members | undefined {
  const before = Object.entries(given ?? {});
  const after = before.flatMap(([name, value]) => {
    const left = leftOf(name, value);
    return left === undefined ? [] : [[name, left] as const];
  });
  return before.length > 0 && after.length === 0 ? undefined : Object.fromEntries(after);
}

/** Undefined if no text is left. */
function textsWithout(given: unknown, erased: readonly unknown[]): unknown {
  const texts = [given].flat();
  const left = texts.filter((text) => !erased.includes(text));
  if (left.length === texts.length) return given;
  return left.length === 0 ? undefined : left;
}

/** The texts of a view, on lines of their own. */
function textsOf(view: Members): string {
  return Object.values(view).flat().join("\n");
}
