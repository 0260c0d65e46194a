// What each kind of notice means to a subscriber: its event, and the patterns that subscribe to it
// (interface 6).

import { type EventName, matchesEvent } from "@annals/contract";
import { NOTICE_KINDS, type NoticeKind } from "@annals/messaging";

const EVENT_OF: Readonly<Record<NoticeKind, EventName>> = {
  events: "event.created",
  verifications: "event.verified",
  exports: "export.completed",
};

/** The event of a kind. */
export function eventOf(kind: NoticeKind): EventName {
  return EVENT_OF[kind];
}

/** The patterns that subscribe to a kind. */
export function patternsOf(kind: NoticeKind): string[] {
  return [EVENT_OF[kind], "*"];
}

/** The kinds that a webhook with these patterns receives. */
export function kindsOf(patterns: readonly string[]): NoticeKind[] {
  return NOTICE_KINDS.filter((kind) => matchesEvent(patterns, EVENT_OF[kind]));
}
