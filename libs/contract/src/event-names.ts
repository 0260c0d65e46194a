// The names of webhook events (interface 9.1), and the patterns that match them: the exact names, and `*` for
// the three names of the interface. Used by the gateway and the webhook dispatcher.

const INTERFACE_NAMES = ["event.created", "event.verified", "export.completed"] as const;

export const EVENT_NAMES = [...INTERFACE_NAMES, "log.checkpointed"] as const;

export type EventName = (typeof EVENT_NAMES)[number];

export const EVENT_PATTERNS = [...EVENT_NAMES, "*"] as const;

export type EventPattern = (typeof EVENT_PATTERNS)[number];

/**
 * The patterns that match `name`. `log.checkpointed` is sent only to a webhook that names it, so that a
 * receiver of `*` gets no event that it does not know.
 */
export function patternsMatching(name: EventName): EventPattern[] {
  return name === "log.checkpointed" ? [name] : [name, "*"];
}
