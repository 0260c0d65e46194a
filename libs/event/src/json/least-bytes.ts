// Tells that a value is large without writing it. Called before an event is written in canonical form, which
// for one of megabytes takes longer than a turn of the event loop. It must never take more time than `most`
// bytes are worth, nor call a value longer than it is.

import type { JsonValue } from "./json-value.ts";

/**
 * Bytes that the canonical text of `value` has at least. It ends at the first member with which they are more
 * than `most`.
 */
export function leastBytes(value: JsonValue, most: number): number {
  return most - left(value, most);
}

/**
 * What is left of `bytes` after the value; at most its characters, brackets, colons and commas are counted.
 */
function left(value: JsonValue, bytes: number): number {
  if (typeof value === "string") return bytes - value.length - '""'.length;
  if (typeof value !== "object" || value === null) return bytes - 1;
  let rest = bytes - 1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at += 1)
      rest = left(value[at] as JsonValue, rest - 1);
    return rest;
  }
  for (const name in value) {
    rest = left(value[name] as JsonValue, rest - name.length - '"":,'.length);
    if (rest < 0) break;
  }
  return rest;
}
