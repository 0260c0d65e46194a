// Refuses a request that got no slot, before any work: an unbounded queue would serve all of them too late.
// Called by requests-in-flight.ts. It must never read a body.

import type { AnnalsError } from "@annals/errors";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorResponse } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import type { AccessLog } from "./access-log.ts";
import { PRIVATE_HEADERS } from "./private-headers.ts";
import { type EarlyResponses, hasUnreadBody } from "./early-response.ts";

export interface RefuseOptions {
  readonly earlyResponses: EarlyResponses;
  /** Shown in the rate-limit headers: the request is not authenticated. */
  readonly limit: number;
  readonly newRequestId: () => string;
  readonly metrics: Pick<Metrics, "onRefused">;
  readonly accessLog: Pick<AccessLog, "record">;
}

export function refuseRequests({
  accessLog,
  earlyResponses,
  limit,
  metrics,
  newRequestId,
}: RefuseOptions) {
  return (request: IncomingMessage, response: ServerResponse, error: AnnalsError): void => {
    const requestId = newRequestId();
    const { status, headers, body } = errorResponse(error, requestId);
    const { method } = request;
    metrics.onRefused({ method, status });
    accessLog.record({ requestId, method, route: "refused", status, durationMs: 0 });
    const text = JSON.stringify(body);
    // The parser hands over a body that came with the head in the same turn of the event loop.
    setImmediate(() => {
      const isUnread = hasUnreadBody(request);
      response.writeHead(status, {
        ...headers,
        ...PRIVATE_HEADERS,
        ...(isUnread && { connection: "close" }),
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(text),
        "x-ratelimit-limit": limit,
        "x-ratelimit-remaining": limit,
        "x-request-id": requestId,
      });
      if (isUnread) earlyResponses.stream(text, request).pipe(response);
      else response.end(text);
    });
  };
}
