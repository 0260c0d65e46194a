// POST /v1/events (interface 6): stores one event. It is committed before the response.

import { AnnalsError, invalid } from "@annals/errors";
import { isEventBytes } from "@annals/event";
import { dataOf } from "../render/data.ts";
import { EventBody } from "./render-event.ts";
import { type Route, routeOfEvents } from "../route.ts";
import type { Deps } from "../deps.ts";
import { appendEvents } from "./append-response.ts";
import { IdempotencyHeaders, REPLAYED_HEADER } from "./idempotency.ts";
import { NewEventBody } from "./new-event.ts";
import { plainEvents, writtenEvents } from "./new-events.ts";

export function createEvent(deps: Pick<Deps, "appends" | "limits" | "turns">): Route {
  const { limits, turns } = deps;
  return routeOfEvents({
    summary: "Store an event",
    headers: IdempotencyHeaders,
    body: NewEventBody,
    success: { status: 201, body: dataOf(EventBody), headers: REPLAYED_HEADER },
    planLimit: "month",
    maxDepth: limits.eventMaxDepth,
    readPlain: plainEvents("event", limits.eventMaxBytes),
    // Not async: the parsed body would be held until the response (register-routes.ts).
    handle: (call) => {
      const { admission, body, headers, receivedAt } = call;
      const options = { maxBytes: limits.eventMaxBytes, path: () => "" };
      const written = isEventBytes(body)
        ? Promise.resolve(body)
        : turns.run(admission.accountId, writtenEvents([body], options), call);
      const request = { admission, form: "event", headers, receivedAt } as const;
      return written
        .then((events) => appendEvents(deps, events, request))
        .catch((error: unknown) => Promise.reject(ofOneEvent(error)));
    },
  });
}

/** Names members as in the client's body: the ledger says `events[0].action`, but there is no `events`. */
function ofOneEvent(error: unknown): unknown {
  if (!(error instanceof AnnalsError) || error.kind !== "invalid") return error;
  const [first, ...others] = error.faults.map(({ field, message }) => ({
    field: field.replace(/^events\[0\]\./, ""),
    message,
  }));
  return first === undefined ? error : invalid(first, ...others);
}
