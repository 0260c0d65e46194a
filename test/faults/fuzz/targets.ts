// The path parameters and queries of the fuzzer: ids and parameters that are sound, and ones that are
// doubtful in their values, names, number or encoding. Called by requests.ts. It must never make one
// that holds a space or a line end: that would be another request line.

import fc from "fast-check";
import type { Known } from "./request.ts";
import { anyText, fittingInteger, fittingString, type Schema } from "./values.ts";

/** Above the most characters of a URL. */
const LONG_TARGET = 2_100;
/** Two parameters of this many are within the bound of all filters, and within that of a URL. */
const MOST_VALUES = 3;

type Pair = readonly [name: string, value: string];

export const soundId = ({ ids }: Known) => fc.constantFrom(...(ids.length > 0 ? ids : ["none_1"]));

export function doubtfulId(known: Known): fc.Arbitrary<string> {
  const changed = soundId(known).chain((id) =>
    fc.constantFrom(`${id}0`, id.slice(0, -1), id.toUpperCase(), id.replace(/^\w+?_/, "evt_")),
  );
  const raw = ["%", "%zz", "%ff", "%c0%80", "%00", "..", ".", "%2e%2e%2f", "\xc3\xa9", "\xff", ""];
  return fc.oneof(
    changed,
    anyText.map(percentEncoded),
    fc.constantFrom(...raw, "a".repeat(LONG_TARGET)),
  );
}

/** Lone surrogates, which the built-in function refuses, go as the bytes that they would be in UTF-8. */
const percentEncoded = (text: string): string =>
  Array.from(text, (one) =>
    /^[\w.~-]$/.test(one)
      ? one
      : Array.from(utf8(one), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  ).join("");

function utf8(character: string): Uint8Array {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0xd800 || code > 0xdfff) return Buffer.from(character);
  return Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}

export interface Query {
  /** With its question mark. */
  readonly raw: string;
  /** What it says, decoded; of what has no one reading, nothing. */
  readonly pairs: readonly Pair[];
}

export function queryOf(pairs: readonly Pair[]): Query {
  const raw = pairs.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`);
  return { raw: raw.length === 0 ? "" : `?${raw.join("&")}`, pairs };
}

/** Those that are required, and at most two others: all together select nothing. */
export function soundQuery(parameters: Schema[], known: Known): fc.Arbitrary<Query> {
  const usual = parameters.filter(({ name }) => name !== "cursor" || known.cursors.length > 0);
  const needed = usual.filter(({ required }) => required === true);
  const free = usual.filter(({ required }) => required !== true);
  const some = free.length === 0 ? fc.constant([]) : twoOf(free, known);
  return fc
    .tuple(fc.tuple(...needed.map((one) => soundPairs(one, known))), some)
    .map((both) => queryOf(both.flat(2)));
}

/** At most two; a cursor comes alone. */
const twoOf = (parameters: Schema[], known: Known): fc.Arbitrary<readonly (readonly Pair[])[]> =>
  fc
    .uniqueArray(fc.oneof(...parameters.map((one) => soundPairs(one, known))), {
      maxLength: 2,
      selector: ([first]) => first?.[0],
    })
    .map((all) => (all.flat().some(([name]) => name === "cursor") ? all.slice(0, 1) : all));

/** A parameter that may be repeated has several values at times. */
function soundPairs(one: Schema, known: Known): fc.Arbitrary<readonly Pair[]> {
  const pair = soundValue(one, known).map((value): Pair => [one.name, value]);
  const single = pair.map((each) => [each]);
  return one.explode === true
    ? fc.oneof(single, fc.array(pair, { minLength: 1, maxLength: MOST_VALUES }))
    : single;
}

function soundValue(
  { name, schema: { anyOf: [first] = [], ...given } }: Schema,
  { cursors }: Known,
): fc.Arbitrary<string> {
  if (name === "cursor") return fc.constantFrom(...cursors);
  const schema = first ?? given;
  return schema.type === "integer" ? fittingInteger(schema) : fittingString(schema, name);
}

export function doubtfulQuery(parameters: Schema[], known: Known): fc.Arbitrary<Query> {
  const names = parameters.map(({ name }) => name as string);
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names, "limit") },
    { weight: 1, arbitrary: anyText },
  );
  const numbers = [
    "-1",
    "0",
    "1.0",
    "1e1",
    "0x10",
    " 1",
    "1 ",
    "+1",
    "9".repeat(16),
    "9".repeat(40),
  ];
  const value = fc.oneof(anyText, fc.constantFrom(...numbers, ...known.cursors));
  const raw = [
    "?",
    "?&&&=",
    "?limit",
    "?limit=%",
    "?limit=%ff",
    "?action=%zz",
    "?limit[]=1",
    "?a=\xff",
  ];
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 }).map(queryOf),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, fc.array(value, { minLength: 9, maxLength: 12 }))
        .map(([of, all]) => queryOf(all.map((one) => [of, one]))),
    },
    { weight: 1, arbitrary: fc.constantFrom(...raw).map((each) => ({ raw: each, pairs: [] })) },
  );
}
