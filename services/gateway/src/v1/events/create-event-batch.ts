// POST /v1/events/batch (interface 4.2, docs/open-details.md): stores 1 to 1,000 events, all or
// none, with consecutive sequence numbers. Counts as one request.

import { inBytes, type Work } from "@annals/contract";
import { eventJson, type EventText, MAX_EVENTS, MAX_TEXT_LENGTH } from "@annals/event";
import { invalid } from "@annals/errors";
import { Type, type Static } from "typebox";
import { dataOf, listBytes } from "../../render/data.ts";
import { Action, EventBody } from "../../render/event.ts";
import { CLOSED, named, OPEN } from "../../render/schema.ts";
import type { Admission } from "../../admission/admission.ts";
import { type Answer, type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";
import { idempotency, IdempotencyHeaders, REPLAYED_HEADER, replayHeaders } from "./idempotency.ts";
import { monthlyQuota } from "./monthly-quota.ts";
import {
  type NewEvent,
  newEventMembers,
  newEventRequest,
  type NewEventRequest,
} from "./new-event.ts";

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
          description: "The same as action. Where both are given they must be equal.",
          examples: ["invoice.update"],
          ...OPEN,
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
        ...OPEN,
      }),
    },
    CLOSED,
  ),
);

export function createEventBatch({
  appends,
  limits,
  turns,
}: Pick<Deps, "appends" | "limits" | "turns">): Route {
  return route({
    summary: "Store a batch of events",
    description: "All or none are stored. The batch counts as one request.",
    openDetail: true,
    headers: IdempotencyHeaders,
    body: Body,
    success: { status: 201, body: dataOf(Type.Array(EventBody)), headers: REPLAYED_HEADER },
    planLimit: "month",
    maxBodyBytes: limits.batchBodyMaxBytes,
    maxDepth: limits.eventMaxDepth + LEVELS_AROUND_AN_EVENT,
    maxValues: limits.batchBodyMaxValues,
    // Not async: the parsed body would be held until the answer (register-routes.ts).
    handle: ({ admission, body, headers, receivedAt }) => {
      const { accountId } = admission;
      const options = { receivedAt, maxBytes: limits.eventMaxBytes };
      return turns.run(accountId, requestsOf(body.events, options)).then((batch) => {
        return append(batch, {
          admission,
          appends,
          receivedAt,
          turns,
          key: headers["idempotency-key"],
        });
      });
    },
  });
}

interface Batch {
  readonly events: readonly NewEventRequest[];
  /** As the client sent them. */
  readonly times: readonly (string | undefined)[];
}

/** The events as they are sent, a piece at a time. */
function* requestsOf(
  items: readonly Static<typeof BatchItem>[],
  options: { readonly receivedAt: string; readonly maxBytes: number },
): Work<Batch> {
  const given = items.map(newEvent);
  const events: NewEventRequest[] = [];
  yield* inBytes(given, (item, index) => {
    const event = newEventRequest(item, { path: `events[${index}].`, ...options });
    events.push(event);
    return event.bytes;
  });
  return { events, times: given.map((item) => item.occurred_at) };
}

interface Sending extends Pick<Deps, "appends" | "turns"> {
  readonly admission: Admission;
  readonly receivedAt: string;
  readonly key: string | undefined;
}

async function append(
  { events, times }: Batch,
  { admission, appends, key, receivedAt, turns }: Sending,
): Promise<Answer> {
  const { accountId, statement } = admission;
  const appended = await appends.append({
    accountId,
    statement,
    receivedAt,
    events,
    ...idempotency(key, "batch", events, times),
    ...monthlyQuota(admission),
  });
  const texts = await turns.run(accountId, textsOf(appended.events));
  return { body: listBytes(texts, "]}"), ...replayHeaders(appended) };
}

function* textsOf(events: readonly EventText[]): Work<string[]> {
  const texts: string[] = [];
  yield* inBytes(events, (event) => texts[texts.push(eventJson(event)) - 1]?.length ?? 0);
  return texts;
}

function newEvent(item: Static<typeof BatchItem>, index: number): NewEvent {
  const { action = item.type, type = action } = item;
  if (action === undefined)
    throw invalid({ field: `events[${index}].action`, message: "is required" });
  if (type !== action) {
    throw invalid({ field: `events[${index}].type`, message: "must equal action, or be left out" });
  }
  // Nearly always it has its action, and a copy of each would cost a microsecond.
  return item.action === undefined ? { ...item, action } : (item as NewEvent);
}
