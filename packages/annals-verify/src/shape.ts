// What the texts and objects of an export look like: patterns of ids, times and digests, exact members,
// bounds of numbers. Called by everything that reads a record or the manifest. A file that does not match
// is not valid, so whatever is printed or returned of a valid one has only these characters.

import { type JsonObject, type JsonValue, quoteVisibly } from "@annals/event";
import { BadLine } from "./bad-line.ts";

export interface Pattern {
  readonly is: RegExp;
  /** After "is not". */
  readonly name: string;
}

export const ACCOUNT_ID: Pattern = { is: /^acct_[0-9a-z]{1,64}$/, name: "the id of an account" };
export const EVENT_ID: Pattern = { is: /^evt_[0-9a-z]{1,64}$/, name: "the id of an event" };
export const EXPORT_ID: Pattern = { is: /^exp_[0-9a-z]{1,64}$/, name: "the id of an export" };
export const FORMAT: Pattern = { is: /^(?:jsonl|csv|parquet)$/, name: "a format of exports" };
/** UTC with six fraction digits, as it was hashed. */
export const TIME: Pattern = {
  is: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/,
  name: "a time in UTC with six fraction digits",
};
export const SHA256: Pattern = {
  is: /^[0-9a-f]{64}$/,
  name: "64 lower-case hexadecimal digits",
};
export const SALT: Pattern = { is: /^[0-9a-f]{32}$/, name: "32 lower-case hexadecimal digits" };

/** Throws BadLine unless the value is an object with all of these members and no other. */
export function exactObject(
  value: JsonValue | undefined,
  names: readonly string[],
  what: string,
): JsonObject {
  const object = anyObject(value, what);
  for (const name of Object.keys(object))
    if (!names.includes(name))
      throw new BadLine(`${what} has an unknown member, ${quoteVisibly(name)}`);
  for (const name of names)
    if (object[name] === undefined) throw new BadLine(`${what} has no member "${name}"`);
  return object;
}

/** Throws BadLine unless the value is an object. */
export function anyObject(value: JsonValue | undefined, what: string): JsonObject {
  if (value === undefined || value === null || typeof value !== "object" || Array.isArray(value))
    throw new BadLine(`${what} is not an object`);
  return value;
}

/** Throws BadLine unless the value is a text of this pattern. */
export function textLike(
  value: JsonValue | undefined,
  { is, name }: Pattern,
  what: string,
): string {
  const text = anyText(value, what);
  if (!is.test(text)) throw new BadLine(`${what}, ${quoteVisibly(text)}, is not ${name}`);
  return text;
}

/** Throws BadLine unless the value is a text. */
export function anyText(value: JsonValue | undefined, what: string): string {
  if (typeof value !== "string") throw new BadLine(`${what} is not a string`);
  return value;
}

/** Throws BadLine unless the value is an integer from `least` to the largest that a double keeps. */
export function integerFrom(value: JsonValue | undefined, least: number, what: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least)
    throw new BadLine(`${what} is not an integer of ${least} or more`);
  return value;
}
