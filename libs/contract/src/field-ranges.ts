// The ranges of values that the text of a filter selects in a declared field (docs/search-fields.md).
// Called by the ledger for lists and by the webhook dispatcher for webhooks. It writes values as
// ledger.values_of does (0001_ledger.sql), and must never select another value than the text says.

import { networkKeys } from "./ip-network.ts";
import { parseTimestamp } from "./timestamps.ts";

/** Values from `since` up to but not including `before`, by their bytes; null: no end. */
export interface ValueRange {
  readonly since: string;
  readonly before: string | null;
}

/** What is wrong with the text if the type does not have it. */
export function rangeOfText(type: string, ignoreCase: boolean, text: string): ValueRange | string {
  const read = READ[type as keyof typeof READ];
  if (!read) return "has a type that is not known";
  if (text === "*") return { since: "", before: null };
  return read(ignoreCase ? folded(text) : text);
}

type Read = (text: string) => ValueRange | string;

const READ = {
  string: (text) => (text.endsWith("*") ? beginningWith(text.slice(0, -1)) : only(text)),
  number: (text) =>
    between(text, numberKey, upTo) ?? "must be a number, or a range such as 5..10 or ..10",
  ip: (text) => {
    const network = networkKeys(text);
    return network ? { since: network.first, before: upTo(network.last) } : NO_NETWORK;
  },
  time: (text) =>
    // A plus sign in a query string is read as a space.
    between(text.replaceAll(" ", "+"), parseTimestamp, (end) => end) ??
    "must be a time, or a range of times such as 2026-01-01T00:00:00Z..2026-02-01T00:00:00Z",
} satisfies Readonly<Record<string, Read>>;

const NO_NETWORK = "must be an IP address, or a network such as 203.0.113.0/24";

/** The one value: U+0000 is in none. */
const only = (value: string): ValueRange => ({ since: value, before: upTo(value) });

/** An end that excludes what comes after the value. */
const upTo = (value: string): string => `${value}\u0001`;

const beginningWith = (prefix: string): ValueRange => ({
  since: prefix,
  before: afterPrefix(prefix),
});

/** One value, or a range with at least one end. Undefined if one of them is invalid. */
function between(
  text: string,
  keyOf: (text: string) => string | undefined,
  endOf: (key: string) => string,
): ValueRange | undefined {
  const [first = "", last, ...more] = text.split("..");
  if (more.length > 0 || (first === "" && (last ?? "") === "")) return undefined;
  const [since, until] = [first, last ?? first].map((end) => (end === "" ? null : keyOf(end)));
  if (since === undefined || until === undefined) return undefined;
  if (last === undefined && since !== null) return only(since);
  return { since: since ?? "", before: until === null ? null : endOf(until) };
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Eight bytes whose order is that of the numbers, in hexadecimal. */
function numberKey(text: string): string | undefined {
  // -0 becomes 0.
  const value = Number(text) + 0;
  if (!NUMBER.test(text) || !Number.isFinite(value)) return undefined;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  const bits = bytes.readBigUInt64BE();
  const isNegative = bits >> 63n === 1n;
  bytes.writeBigUInt64BE(isNegative ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n));
  return bytes.toString("hex");
}

function folded(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const LAST_CODE_POINT = 0x10_ff_ff;
const FIRST_SURROGATE = 0xd8_00;
const LAST_SURROGATE = 0xdf_ff;

/**
 * The least text, in code point order, that is after every text that begins with `prefix`; null if no text
 * is.
 */
export function afterPrefix(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === LAST_CODE_POINT) continue;
    const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return null;
}
