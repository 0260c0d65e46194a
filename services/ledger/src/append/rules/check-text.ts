// Texts that a client chooses: an action, an id, a type, an idempotency key. Called by check-append.ts and
// read-events.ts, and by the rules of erasures and holds.

import { MAX_TEXT_LENGTH } from "@annals/event";
import { invalid } from "@annals/errors";

/** Whether the text has 1 to 255 characters, all of which PostgreSQL and UTF-8 can represent. */
export function isText(text: string): boolean {
  const { length } = text;
  // A character outside the first plane counts once and takes two code units.
  const isShort =
    length <= MAX_TEXT_LENGTH ||
    (length <= 2 * MAX_TEXT_LENGTH && Array.from(text).length <= MAX_TEXT_LENGTH);
  return length > 0 && isShort && !text.includes("\0") && text.isWellFormed();
}

export function notText(field: string, text?: string) {
  const message = `must be a string of 1 to ${MAX_TEXT_LENGTH} characters, without U+0000`;
  return invalid({ field, message: text === "" ? "is required" : message });
}
