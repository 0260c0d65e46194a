// Refuses a request that got no slot, before any work: an unbounded queue would serve all of them too late.
// Called by requests-in-flight.ts. It must never read a body.

import { hasUnreadBody } from "@annals/chassis";
import type { AnnalsError } from "@annals/errors";
import type { IncomingMessage, ServerResponse } from "node:http";
import { renderError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import type { AccessLog } from "./access-log.ts";
import { PRIVATE_HEADERS } from "./private-headers.ts";
import type { EarlyResponses } from "./early-response.ts";

const OTLP = "/v1/intake/otlp/";

export interface RefuseOptions {
  readonly earlyResponses: EarlyResponses;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Shown in the rate-limit headers: the request is not authenticated. */
  readonly limit: number;
  readonly newRequestId: () => string;
  readonly metrics: Pick<Metrics, "onRefused">;
  readonly accessLog: Pick<AccessLog, "record">;
}

export function refuseRequests({
  accessLog,
  addressOf,
  earlyResponses,
  limit,
  metrics,
  newRequestId,
}: RefuseOptions) {
  return (request: IncomingMessage, response: ServerResponse, error: AnnalsError): void => {
    const requestId = newRequestId();
    const { mediaType, payload, status, headers } = renderError(error, requestId, {
      contentType: request.headers["content-type"],
      // Its route is not known yet.
      ...(request.url?.startsWith(OTLP) && { format: "otlp" }),
    });
    const { method } = request;
    metrics.onRefused({ method, status });
    accessLog.record({ requestId, method, route: "refused", status, durationMs: 0 });
    // The parser hands over a body that came with the head in the same turn of the event loop.
    setImmediate(() => {
      const isUnread = hasUnreadBody(request);
      response.writeHead(status, {
        ...headers,
        ...PRIVATE_HEADERS,
        ...(isUnread && { connection: "close" }),
        "content-type": mediaType,
        "content-length": Buffer.byteLength(payload),
        "x-ratelimit-limit": limit,
        "x-ratelimit-remaining": limit,
        "x-request-id": requestId,
      });
      if (isUnread) earlyResponses.stream(payload, request, addressOf(request)).pipe(response);
      else response.end(payload);
    });
  };
}
