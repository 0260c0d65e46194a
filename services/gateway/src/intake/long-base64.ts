// Reads long base64 in a message of OTLP in JSON a piece at a time, which the library decodes at once. Called
// by otlp-json.ts before the library reads the message. It must read what the library reads, but for white
// space and padding within a text, and leave to it what is wrong.

import { PIECE_BYTES, type Work } from "@annals/contract";
import type { JsonObject, JsonValue } from "@annals/event";

/** Characters of what is short. No event has room for what is longer. */
const SHORT = 64 * 1024;
/** What is not base64, for the library to refuse. */
const NOT_BASE64 = "!";
/** Characters that the library takes, and the padding at the end. */
const BASE64 = /^[A-Za-z0-9+/_-]*$/;
const PADDING = /={1,2}$/;

/** Replaces each long `bytesValue` by the `stringValue` that an event has in its place. */
export function* readLongBase64(value: JsonValue): Work<void> {
  if (typeof value !== "object" || value === null) return;
  for (const each of Object.values(value)) yield* readLongBase64(each);
  if (Array.isArray(value)) return;
  const { bytesValue: given } = value;
  if (typeof given === "string" && given.length > SHORT) yield* replace(value, given);
}

function* replace(anyValue: JsonObject, given: string): Work<void> {
  const text = yield* standardOf(given);
  const other = anyValue["stringValue"] ?? undefined;
  if (text !== undefined && other === undefined) {
    delete anyValue["bytesValue"];
    anyValue["stringValue"] = text;
    // Two values are for the library to refuse.
  } else anyValue["bytesValue"] = text === undefined ? NOT_BASE64 : "";
}

/** The same bytes in base64 with padding; undefined if it is not base64. */
function* standardOf(given: string): Work<string | undefined> {
  const end = PADDING.exec(given.slice(-2))?.[0].length ?? 0;
  const length = given.length - end;
  if (length % 4 === 1) return undefined;
  let text = "";
  for (let from = 0; from < length; from += PIECE_BYTES) {
    const piece = given.slice(from, Math.min(from + PIECE_BYTES, length));
    if (!BASE64.test(piece)) return undefined;
    text += Buffer.from(piece, "base64").toString("base64");
    yield;
  }
  return text;
}
