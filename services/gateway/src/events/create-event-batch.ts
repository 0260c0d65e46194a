// POST /v1/events/batch (interface 6): stores 1 to 1,000 events, all or
// none, with consecutive sequence numbers. Counts as one request.

import { isEventBytes, MAX_EVENTS, MAX_TEXT_LENGTH } from "@annals/event";
import { invalid } from "@annals/errors";
import { Type, type Static } from "typebox";
import { dataOf } from "../render/data.ts";
import { Action, EventBody } from "./render-event.ts";
import { CLOSED, named, openDetail } from "../render/schema.ts";
import { type Route, routeOfEvents } from "../route.ts";
import type { Deps } from "../deps.ts";
import { appendEvents } from "./append-response.ts";
import { IdempotencyHeaders, REPLAYED_HEADER } from "./idempotency.ts";
import { type NewEvent, newEventMembers } from "./new-event.ts";
import { plainEvents, writtenEvents } from "./new-events.ts";

/** The array and the object around it. */
const LEVELS_AROUND_AN_EVENT = 2;

const BatchItem = named(
  "NewBatchEvent",
  Type.Object(
    {
      action: Type.Optional(Action),
      type: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_TEXT_LENGTH,
          description: "Alias of action. If both are given, they must be equal.",
          examples: ["invoice.update"],
          ...openDetail("batch-type"),
        }),
      ),
      ...newEventMembers,
    },
    {
      ...CLOSED,
      description: "An event with `action` or `type`.",
      anyOf: [{ required: ["action"] }, { required: ["type"] }],
    },
  ),
);

const Body = named(
  "NewEventBatch",
  Type.Object(
    {
      events: Type.Array(BatchItem, {
        minItems: 1,
        maxItems: MAX_EVENTS,
        examples: [
          [
            { action: "invoice.update", actor: { id: "u_1", type: "user" } },
            { type: "invoice.send", target: { type: "invoice", id: "inv_9" } },
          ],
        ],
        ...openDetail("batch-size"),
      }),
    },
    CLOSED,
  ),
);

export function createEventBatch(deps: Pick<Deps, "appends" | "limits" | "turns">): Route {
  const { limits, turns } = deps;
  return routeOfEvents({
    summary: "Store a batch of events",
    description: "All or none are stored. The batch counts as one request.",
    headers: IdempotencyHeaders,
    body: Body,
    success: { status: 201, body: dataOf(Type.Array(EventBody)), headers: REPLAYED_HEADER },
    planLimit: "month",
    maxBodyBytes: limits.batchBodyMaxBytes,
    maxDepth: limits.eventMaxDepth + LEVELS_AROUND_AN_EVENT,
    maxValues: limits.batchBodyMaxValues,
    readPlain: plainEvents("batch", limits.eventMaxBytes),
    // Not async: the parsed body would be held until the response (register-routes.ts).
    handle: (call) => {
      const { admission, body, headers, receivedAt } = call;
      const options = { maxBytes: limits.eventMaxBytes, path: eventPath };
      const written = isEventBytes(body)
        ? Promise.resolve(body)
        : turns.run(admission.accountId, writtenEvents(body.events.map(newEvent), options), call);
      const request = { admission, form: "batch", headers, receivedAt } as const;
      return written.then((events) => appendEvents(deps, events, request));
    },
  });
}

const eventPath = (index: number): string => `events[${index}].`;

function newEvent(item: Static<typeof BatchItem>, index: number): NewEvent {
  const { action = item.type, type = action } = item;
  if (action === undefined)
    throw invalid({ field: `events[${index}].action`, message: "is required" });
  if (type !== action) {
    throw invalid({ field: `events[${index}].type`, message: "must equal action or be omitted" });
  }
  // An item nearly always has its action, and copying each one would cost a microsecond.
  return item.action === undefined ? { ...item, action } : (item as NewEvent);
}
