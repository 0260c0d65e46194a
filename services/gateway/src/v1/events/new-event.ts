// An event as a client sends it (interface 4.2), and as the ledger gets it: the canonical text of each part,
// the time as text. Called by the routes that create events. What canonical JSON cannot carry was refused
// when the body was read; what is too large is refused here.

import {
  type CamelCase,
  canonicalJson,
  type Copy,
  type JsonObject,
  type Part,
  PARTS,
} from "@annals/event";
import { AUDIT_ACTION_PREFIX, isReservedAction, parseTimestamp } from "@annals/contract";
import { invalid } from "@annals/errors";
import { Type, type Static } from "typebox";
import { Action, Parts } from "../../render/event.ts";
import { CLOSED, GivenTime, named } from "../../render/schema.ts";

export const newEventMembers = {
  actor: Type.Optional(Parts.actor),
  target: Type.Optional(Parts.target),
  context: Type.Optional(Parts.context),
  diff: Type.Optional(Parts.diff),
  metadata: Type.Optional(Parts.metadata),
  occurred_at: Type.Optional(GivenTime("By default the time of receipt.")),
};

export const NewEventBody = named(
  "NewEvent",
  Type.Object({ action: Action, ...newEventMembers }, CLOSED),
);

export type NewEvent = Static<typeof NewEventBody>;

/** The canonical text of a part that the client left out. */
export const NO_MEMBERS = "{}";

/** The copies by the names of their fields in NewEvent of the ledger. */
export const COPY_FIELDS = [
  "actorId",
  "actorType",
  "targetId",
  "targetType",
] as const satisfies readonly CamelCase<Copy>[];

/** A NewEvent of the ledger, as texts. */
export interface NewEventRequest
  extends
    Readonly<Record<Part, string>>,
    Readonly<Partial<Record<(typeof COPY_FIELDS)[number], string>>> {
  readonly action: string;
  readonly occurredAt: string;
  /** Of the action and the parts in canonical form. */
  readonly bytes: number;
}

/**
 * `path` is the prefix of member names in errors: "" or `events[3].`. Throws `invalid` for an action of the
 * service itself, for a time that is none and for an event of more than `maxBytes` in canonical form.
 */
export function newEventRequest(
  event: NewEvent,
  options: { readonly path: string; readonly receivedAt: string; readonly maxBytes: number },
): NewEventRequest {
  const { actor, target } = event;
  if (isReservedAction(event.action)) throw reserved(event, options.path);
  const request = {
    ...canonicalParts(event),
    action: event.action,
    occurredAt: occurredAt(event, options),
    ...(actor?.id !== undefined && { actorId: actor.id }),
    ...(actor?.type !== undefined && { actorType: actor.type }),
    ...(target?.id !== undefined && { targetId: target.id }),
    ...(target?.type !== undefined && { targetType: target.type }),
    bytes: Buffer.byteLength(event.action),
  };
  for (const part of PARTS) request.bytes += Buffer.byteLength(request[part]);
  if (request.bytes > options.maxBytes) {
    const field = options.path.replace(/\.$/, "") || "body";
    throw invalid({
      field,
      message: `is ${request.bytes} bytes in canonical form; at most ${options.maxBytes} are allowed`,
    });
  }
  return request;
}

function canonicalParts(event: NewEvent): Record<Part, string> {
  const texts: Partial<Record<Part, string>> = {};
  for (const part of PARTS) {
    const value: object | undefined = event[part];
    texts[part] = value === undefined ? NO_MEMBERS : canonicalJson(value as JsonObject);
  }
  return texts as Record<Part, string>;
}

/** Of a batch, `type` where that is what the client sent. */
function reserved(event: NewEvent & { readonly type?: string }, path: string) {
  const field = `${path}${event.type === event.action ? "type" : "action"}`;
  const message = `must not begin with ${AUDIT_ACTION_PREFIX}, in any form: such events are of the service itself`;
  return invalid({ field, message });
}

function occurredAt(
  event: NewEvent,
  { path, receivedAt }: { readonly path: string; readonly receivedAt: string },
): string {
  if (event.occurred_at === undefined) return receivedAt;
  const time = parseTimestamp(event.occurred_at);
  if (time === undefined) {
    const message =
      "must be an ISO 8601 date and time with an offset, such as 2026-01-31T09:30:00Z";
    throw invalid({ field: `${path}occurred_at`, message });
  }
  return time;
}
