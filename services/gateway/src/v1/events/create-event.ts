// POST /v1/events (interface 4.2): stores one event. It is committed when this is answered.

import { AnnalsError, invalid } from "@annals/errors";
import { eventJson } from "@annals/event";
import { dataOf } from "../../render/data.ts";
import { EventBody } from "../../render/event.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";
import { idempotency, IdempotencyHeaders, REPLAYED_HEADER, replayHeaders } from "./idempotency.ts";
import { monthlyQuota } from "./monthly-quota.ts";
import { NewEventBody, newEventRequest } from "./new-event.ts";

export function createEvent({ appends, limits }: Pick<Deps, "appends" | "limits">): Route {
  return route({
    summary: "Store an event",
    headers: IdempotencyHeaders,
    body: NewEventBody,
    success: { status: 201, body: dataOf(EventBody), headers: REPLAYED_HEADER },
    planLimit: "month",
    maxDepth: limits.eventMaxDepth,
    // Not async: the parsed body would be held until the answer (register-routes.ts).
    handle: ({ admission, body, headers, receivedAt }) => {
      const options = { path: "", receivedAt, maxBytes: limits.eventMaxBytes };
      const events = [newEventRequest(body, options)];
      const key = idempotency(headers["idempotency-key"], "event", events, [body.occurred_at]);
      const { accountId, statement } = admission;
      const quota = monthlyQuota(admission);
      const request = { accountId, statement, receivedAt, events, ...key, ...quota };
      return appends.append(request).then(
        (appended) => ({
          body: `{"data":${appended.events.map(eventJson).join(",")}}`,
          ...replayHeaders(appended),
        }),
        (error: unknown) => Promise.reject(ofOneEvent(error)),
      );
    },
  });
}

/** The ledger names a member of the only event `events[0].action`; the client's body has no `events`. */
function ofOneEvent(error: unknown): unknown {
  if (!(error instanceof AnnalsError) || error.kind !== "invalid") return error;
  const [first, ...others] = error.faults.map(({ field, message }) => ({
    field: field.replace(/^events\[0\]\./, ""),
    message,
  }));
  return first === undefined ? error : invalid(first, ...others);
}
