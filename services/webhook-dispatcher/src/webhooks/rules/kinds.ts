// What webhooks receive: the kinds that producers announce by notices, and the checkpoints of the log, which
// deliveries/worker/checkpoints.ts finds. Each kind has an event, and the patterns that subscribe to it
// (interface 6).

import { type EventName, patternsMatching } from "@annals/contract";
import { type Notice, NOTICE_KINDS } from "@annals/messaging";

export const KINDS = [...NOTICE_KINDS, "checkpoints"] as const;

export type Kind = (typeof KINDS)[number];

/** Says that the entries of an account reach a position. */
export type Announcement = Omit<Notice, "kind"> & { readonly kind: Kind };

const EVENT_OF: Readonly<Record<Kind, EventName>> = {
  events: "event.created",
  verifications: "event.verified",
  exports: "export.completed",
  checkpoints: "log.checkpointed",
};

/** The event of a kind. */
export function eventOf(kind: Kind): EventName {
  return EVENT_OF[kind];
}

/** The patterns that subscribe to a kind. */
export function patternsOf(kind: Kind): string[] {
  return patternsMatching(EVENT_OF[kind]);
}

/** The kinds that a webhook with these patterns receives. */
export function kindsOf(patterns: readonly string[]): Kind[] {
  return KINDS.filter((kind) => patternsOf(kind).some((pattern) => patterns.includes(pattern)));
}
