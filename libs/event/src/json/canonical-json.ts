// Canonical JSON, RFC 8785: the one text of a value, which is hashed, stored and served. The gateway calls it
// for each part of an event. It must never write a text that reads back as another value.
//
// Not the `canonicalize` package, for speed: on the values of `readJson` this takes a third as long, and it
// is on the path of every append. The tests compare the two, byte for byte.

import type { JsonObject, JsonValue } from "./json-value.ts";

/** Names in one object up to which insertion beats the platform's sort. */
const INSERTION_SORT_LIMIT = 16;

/** Matches a string that must not be written verbatim: JSON escapes it, or it may hold a lone surrogate. */
// oxlint-disable-next-line no-control-regex -- it searches for control characters
const NEEDS_CARE = /[\u0000-\u001f"\\\ud800-\udfff]/;

/**
 * The canonical text of a value. Nesting is bounded by the stack (about 5,000 levels, then RangeError);
 * what `readJson` made is within. Throws TypeError for what has no canonical text: a number that is not
 * finite, a lone surrogate, anything that is not a JSON value.
 */
export function canonicalJson(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      // RFC 8785 3.2.2.3 is ECMAScript's own Number to String, in which -0 is 0.
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical text`);
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
    default:
      throw new TypeError(`a ${typeof value} has no canonical text`);
  }
}

/** The canonical text of a string. Throws TypeError for a lone surrogate. */
export function quote(text: string): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError("a lone surrogate has no canonical text");
  return JSON.stringify(text);
}

function canonicalArray(array: readonly JsonValue[]): string {
  let text = "[";
  for (let at = 0; at < array.length; at += 1) {
    if (at > 0) text += ",";
    text += canonicalJson(array[at] as JsonValue);
  }
  return `${text}]`;
}

function canonicalObject(object: JsonObject): string {
  const names = sortNames(Object.keys(object));
  let text = "{";
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    if (at > 0) text += ",";
    text += `${quote(name)}:${canonicalJson(object[name] as JsonValue)}`;
  }
  return `${text}}`;
}

/**
 * Sorts in place by UTF-16 code units, as RFC 8785 3.2.3 says; `<` and sort() without a comparator compare
 * so.
 */
function sortNames(names: string[]): string[] {
  if (names.length > INSERTION_SORT_LIMIT) return names.sort();
  for (let from = 1; from < names.length; from += 1) {
    const name = names[from] as string;
    let to = from;
    while (to > 0 && (names[to - 1] as string) > name) {
      names[to] = names[to - 1] as string;
      to -= 1;
    }
    names[to] = name;
  }
  return names;
}
