// POST /v1/events (interface 4.2): stores one event. It is committed when this is answered.

import { eventJson } from "@annals/contract";
import { dataOf } from "../../render/data.ts";
import { EventBody } from "../../render/event.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../v1.ts";
import { idempotency, IdempotencyHeaders, REPLAYED } from "./idempotency.ts";
import { monthlyQuota } from "./monthly-quota.ts";
import { NewEventBody, newEventRequest } from "./new-event.ts";

export function createEvent({ appends, limits }: Pick<Deps, "appends" | "limits">): Route {
  return route({
    summary: "Store an event",
    headers: IdempotencyHeaders,
    body: NewEventBody,
    success: { status: 201, body: dataOf(EventBody) },
    maxDepth: limits.eventMaxDepth,
    handle: async ({ admission, body, headers, receivedAt }) => {
      const events = [
        newEventRequest(body, { path: "", receivedAt, maxBytes: limits.eventMaxBytes }),
      ];
      const key = idempotency(headers["idempotency-key"], "event", events, [body.occurred_at]);
      const stored = await appends.append({
        accountId: admission.accountId,
        receivedAt,
        events,
        ...key,
        ...monthlyQuota(admission),
      });
      return {
        body: `{"data":${stored.events.map(eventJson).join("")}}`,
        ...(stored.replayed && { headers: REPLAYED }),
      };
    },
  });
}
