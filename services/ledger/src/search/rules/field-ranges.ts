// The ranges of values that the text of a filter selects in a field (docs/search-fields.md), as
// ledger.values_of writes values (0001_ledger.sql). Called by in-parts.ts. It must never select another value
// than the text says.

import { networkKeys, parseTimestamp } from "@annals/contract";
import { type AnnalsError, invalid } from "@annals/errors";
import { actionsOf, type FieldValues } from "./event-filter.ts";

/** Values from `since` up to but not including `before`; null: no end. */
export interface ValueRange {
  readonly since: string;
  readonly before: string | null;
}

/** Throws `invalid`, which names the field, for a text that the type does not have. */
export function rangesOf({ ignoreCase, name, type, values }: FieldValues): ValueRange[] {
  const read = READ[type as keyof typeof READ];
  if (!read) throw refused(name, "has a type that is not known");
  return values.map((value) => {
    if (value === "*") return { since: "", before: null };
    const range = read(ignoreCase ? folded(value) : value);
    if (typeof range === "string") throw refused(name, range);
    return range;
  });
}

function refused(name: string, message: string): AnnalsError {
  return invalid({ field: name === "outcome" ? name : `field.${name}`, message });
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

function beginningWith(prefix: string): ValueRange {
  const [range] = actionsOf({ actionPrefixes: [prefix] })?.ranges ?? [];
  return { since: prefix, before: range?.to ?? null };
}

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
