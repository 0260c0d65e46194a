// Canonical JSON (RFC 8785) of a value that may be large, one piece after the other: what canonical-json.ts
// writes at once. Called by the gateway and the ledger where a value may have megabytes. It must never do
// more work between two pieces than some thousands of characters are worth, whatever the value is.

import { canonicalJson } from "./canonical-json.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";
import { sortInPieces } from "./sort-in-pieces.ts";

/** An object or an array of which the end is not written. */
interface Open {
  readonly values: JsonObject | readonly JsonValue[];
  /** In canonical order; undefined: it is an array. */
  readonly names: readonly string[] | undefined;
  at: number;
}

/**
 * The pieces of the text, of about `characters` of the value each; one may be empty. Throws what
 * `canonicalJson` throws.
 */
export function* canonicalPieces(value: JsonValue, characters: number): Generator<string, void> {
  const open: Open[] = [];
  let text = "";
  let next: JsonValue | undefined = value;
  while (next !== undefined) {
    if (isContainer(next)) {
      const values: Open["values"] = next;
      const names = isArray(values) ? undefined : yield* sortInPieces(Object.keys(values));
      text += names ? "{" : "[";
      open.push({ values, names, at: 0 });
    } else if (typeof next === "string" && next.length > characters) {
      yield* quotedPieces(text, next, characters);
      text = "";
    } else text += canonicalJson(next);
    text += closed(open);
    const around = open.at(-1);
    next = around && valueAt(around);
    if (around) {
      if (around.at > 0) text += ",";
      const name = around.names?.[around.at];
      if (name !== undefined && name.length > characters) {
        yield* quotedPieces(text, name, characters);
        text = ":";
      } else if (name !== undefined) text += `${canonicalJson(name)}:`;
      around.at += 1;
    }
    if (text.length < characters) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** The quoted string in pieces, the first of them behind `before`. */
function* quotedPieces(before: string, text: string, characters: number): Generator<string, void> {
  yield `${before}"`;
  for (let from = 0, to; from < text.length; from = to) {
    to = from + characters;
    // A pair of surrogates stays whole: a half of one is refused.
    if (isFirstHalf(text.charCodeAt(to - 1))) to += 1;
    yield canonicalJson(text.slice(from, to)).slice(1, -1);
  }
  yield '"';
}

/** Closes what has no further value. Returns the brackets. */
function closed(open: Open[]): string {
  let text = "";
  for (let last = open.at(-1); last && !hasNext(last); last = open.at(-1)) {
    text += last.names ? "}" : "]";
    open.pop();
  }
  return text;
}

function hasNext({ at, names, values }: Open): boolean {
  return at < (names ?? (values as readonly JsonValue[])).length;
}

function valueAt({ at, names, values }: Open): JsonValue {
  const value = isArray(values) ? values[at] : values[names?.[at] ?? ""];
  return value as JsonValue;
}

function isContainer(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === "object" && value !== null;
}

function isArray(values: Open["values"]): values is readonly JsonValue[] {
  return Array.isArray(values);
}

/** Whether it is the code of the first half of a surrogate pair. */
function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
