// The names of webhook events (interface 9.1), and the patterns that match them: the exact names and `*`.
// Used by the gateway and the webhook dispatcher.

export const EVENT_NAMES = ["event.created", "event.verified", "export.completed"] as const;

export type EventName = (typeof EVENT_NAMES)[number];

export const EVENT_PATTERNS = [...EVENT_NAMES, "*"] as const;

export type EventPattern = (typeof EVENT_PATTERNS)[number];

/** Whether a webhook with these patterns gets `name`. */
export function matchesEvent(patterns: readonly string[], name: EventName): boolean {
  return patterns.includes("*") || patterns.includes(name);
}
