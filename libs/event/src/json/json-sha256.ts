// The digest of a JSON value, in place of the value itself if that must not be kept. Called by services
// for their audit entries. A reader who guesses the value can confirm the guess.

import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
import type { JsonValue } from "./json-value.ts";

/** SHA-256 of the canonical JSON of `value`, in lower-case hexadecimal. */
export function jsonSha256(value: JsonValue): string {
  return hash("sha256", canonicalJson(value));
}
