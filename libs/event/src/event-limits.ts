// What an event may be at most, whatever a gateway accepts (interface 3). The gateway
// bounds its schemas with these, and has smaller limits of its own. The ledger checks each event against
// them.

import type { Part } from "./event-members.ts";

/** Characters of an action, an id and a type, and of an idempotency key. */
export const MAX_TEXT_LENGTH = 255;

/** Events of one append. */
export const MAX_EVENTS = 1_000;

/** Bytes of the action and the five parts in canonical form. */
export const MAX_EVENT_BYTES = 1024 * 1024;

/** Levels of objects and arrays, of which the event itself is the first. */
export const MAX_EVENT_DEPTH = 128;

/** Members and elements of a request body. */
export const MAX_BODY_VALUES = 1_000_000;

/** The members of the parts that are not free-form. A text has 1 to {@link MAX_TEXT_LENGTH} characters. */
export const PART_MEMBERS = {
  actor: { id: "text", type: "text", meta: "object" },
  target: { id: "text", type: "text", meta: "object" },
  diff: { before: "object", after: "object" },
} as const satisfies Partial<Record<Part, Readonly<Record<string, "text" | "object">>>>;
