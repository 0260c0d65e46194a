// Responds to requests that failed, and to paths that do not exist. Called by app.ts. What is refused before
// its body was read gives its slot back at once. It must never log a line for every request of a flood.

import { BoundedLog, hasUnreadBody, type Logger } from "@annals/chassis";
import { AnnalsError } from "@annals/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ErrorFormat, renderError } from "../errors.ts";
import { DueResponses } from "./due-responses.ts";
import type { EarlyResponses } from "./early-response.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";
import type { RequestBudget } from "./request-budget.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the client of the route reads errors in. */
    errors?: ErrorFormat;
  }
}

export interface ErrorResponderOptions {
  readonly log: Logger;
  readonly inFlight: Pick<RequestsInFlight, "addressOf" | "responded">;
  readonly earlyResponses: EarlyResponses;
  readonly refusals: Pick<RequestBudget, "isOver" | "count">;
}

/** Delay of responses to a client that has used up its budget of refusals. */
const DELAY_MS = 1_000;
const MAX_DELAYED = 2_000;

export type RespondToError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

export function errorResponder(options: ErrorResponderOptions): RespondToError {
  const { log, inFlight, earlyResponses } = options;
  const bounded = new BoundedLog(log);
  const due = new DueResponses();
  let delayed = 0;
  return (error, request, reply) => {
    const { raw } = request;
    const { mediaType, payload, status, headers, unexpected } = renderError(error, request.id, {
      contentType: request.headers["content-type"],
      format: request.routeOptions.config.errors,
    });
    const fields = { request_id: request.id };
    if (raw.readableAborted)
      bounded.write("info", fields, "client disconnected before its body arrived");
    else if (raw.socket.destroyed)
      bounded.write("info", fields, "client disconnected before the response");
    else if (unexpected) log.error({ err: error, ...fields }, "request failed");
    else if (status >= 500)
      bounded.write("warn", { err: error, ...fields }, "request could not be served");
    void reply
      .code(status)
      .headers(headers)
      .header("content-length", Buffer.byteLength(payload))
      .type(mediaType);
    if (error instanceof AnnalsError && error.kind === "rate_limited")
      void reply.header("x-ratelimit-remaining", 0);
    const send = () => {
      if (!hasUnreadBody(raw)) void reply.send(payload);
      else {
        const holder = request.admission?.accountId ?? inFlight.addressOf(raw);
        const early = earlyResponses.stream(payload, raw, holder);
        void reply.header("connection", "close").send(early);
      }
      inFlight.responded(raw);
    };
    if (status < 500 && isOverBudget(request, error, options) && delayed < MAX_DELAYED) {
      inFlight.responded(raw);
      delayed += 1;
      const sendDelayed = () => {
        delayed -= 1;
        send();
      };
      setTimeout(() => due.add(sendDelayed), DELAY_MS);
    }
    // The parser hands over a body that came with the head in the same turn of the event loop.
    else if (hasUnreadBody(raw)) setImmediate(send);
    else send();
  };
}

/**
 * Counts requests that were refused before authentication, by address, and those beyond the shares of an
 * account. Refusals by a key's own rate limit do not count.
 */
function isOverBudget(
  { admission, raw }: FastifyRequest,
  error: unknown,
  { inFlight, refusals }: ErrorResponderOptions,
): boolean {
  const isLimited = error instanceof AnnalsError && error.kind === "rate_limited";
  if (admission && !isLimited) return false;
  const client = admission?.accountId ?? inFlight.addressOf(raw);
  if (admission || !isLimited) refusals.count(client);
  return refusals.isOver(client);
}

/** Before the body is read: an unknown path is a 404 whatever the body is. */
export function refuseUnknown(
  request: FastifyRequest,
  _reply: FastifyReply,
  next: (error?: Error) => void,
): void {
  next(request.is404 ? unknownPath(request) : undefined);
}

export async function notFound(request: FastifyRequest): Promise<never> {
  throw unknownPath(request);
}

function unknownPath({ method, url }: FastifyRequest): AnnalsError {
  const path = url.split("?")[0]?.slice(0, 200) ?? "";
  return new AnnalsError("not_found", `No route matches ${method} ${path}.`);
}
