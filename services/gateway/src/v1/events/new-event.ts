// An event as a client sends it (interface 4.2), and what the ledger is told of it: the canonical
// text of each part, the time as text. What canonical JSON cannot carry was refused when the body
// was read; what is too large is refused here.

import { canonicalJson, type Field, FIELDS, type JsonObject } from "@annals/event";
import { parseTimestamp } from "@annals/contract";
import { invalid } from "@annals/errors";
import { Type, type Static } from "typebox";

/** Longest action, id and type, in characters. */
const MAX_TEXT_LENGTH = 255;

const Text = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, description });
const Free = (description: string) => Type.Unsafe<JsonObject>({ type: "object", description });

const closed = { additionalProperties: false };

const Actor = Type.Object(
  {
    id: Type.Optional(Text("Who acted.")),
    type: Type.Optional(Text("What kind: user, service, api_key.")),
    meta: Type.Optional(Free("Free-form.")),
  },
  closed,
);

const Target = Type.Object(
  {
    type: Type.Optional(Text("What kind of thing was acted upon.")),
    id: Type.Optional(Text("Which one.")),
    meta: Type.Optional(Free("Free-form.")),
  },
  closed,
);

const Diff = Type.Object(
  { before: Type.Optional(Free("Free-form.")), after: Type.Optional(Free("Free-form.")) },
  closed,
);

export const newEventMembers = {
  actor: Type.Optional(Actor),
  target: Type.Optional(Target),
  context: Type.Optional(Free("Free-form: address, user agent, location.")),
  diff: Type.Optional(Diff),
  metadata: Type.Optional(Free("Free-form.")),
  occurred_at: Type.Optional(
    Type.String({ description: "ISO 8601 with any offset; the time of receipt unless told." }),
  ),
};

export const Action = Text("What was done, such as `invoice.update`.");

export const NewEventBody = Type.Object({ action: Action, ...newEventMembers }, closed);

export type NewEvent = Static<typeof NewEventBody>;

/** A NewEvent of the ledger with texts where that has their UTF-8. */
export interface NewEventRequest extends Readonly<Record<Field, string>> {
  readonly action: string;
  readonly occurredAt: string;
  readonly actorId?: string;
  readonly actorType?: string;
  readonly targetId?: string;
  readonly targetType?: string;
}

/**
 * `path` stands before the names of members in errors: "" or `events[3].`. Throws `invalid` for a
 * time that is none and for an event of more than `maxBytes` in canonical form.
 */
export function newEventRequest(
  event: NewEvent,
  options: { readonly path: string; readonly receivedAt: string; readonly maxBytes: number },
): NewEventRequest {
  const request = {
    action: event.action,
    occurredAt: occurredAt(event, options),
    actor: canonicalPart(event.actor),
    context: canonicalPart(event.context),
    diff: canonicalPart(event.diff),
    metadata: canonicalPart(event.metadata),
    target: canonicalPart(event.target),
    ...(event.actor?.id !== undefined && { actorId: event.actor.id }),
    ...(event.actor?.type !== undefined && { actorType: event.actor.type }),
    ...(event.target?.id !== undefined && { targetId: event.target.id }),
    ...(event.target?.type !== undefined && { targetType: event.target.type }),
  };
  let bytes = Buffer.byteLength(request.action);
  for (const part of FIELDS) bytes += Buffer.byteLength(request[part]);
  if (bytes > options.maxBytes) {
    const field = options.path.replace(/\.$/, "") || "body";
    throw invalid({
      field,
      message: `is ${bytes} bytes in canonical form; at most ${options.maxBytes} are allowed`,
    });
  }
  return request;
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

function canonicalPart(part: object | undefined): string {
  return part === undefined ? "{}" : canonicalJson(part as JsonObject);
}
