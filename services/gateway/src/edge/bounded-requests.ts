// Bounds the concurrent requests of this process. Called by serve.ts. A request beyond the bound is refused
// before any work is done for it, so that a refusal is immediate and cheap: an unbounded queue answers
// everyone too late. It must never count a request after its response has ended.

import { unavailable } from "@annals/errors";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { errorAnswer } from "../errors.ts";

export interface RequestBound {
  readonly maxUnderWay: number;
  /** Shown in the rate-limit headers: the request is not authenticated yet. */
  readonly limit: number;
  readonly newRequestId: () => string;
  readonly onRefused: (request: IncomingMessage) => void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Wraps the present request listeners of `server`. */
export function boundRequests(server: Server, bound: RequestBound): void {
  const handlers = server.listeners("request") as Handler[];
  let underWay = 0;
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (underWay >= bound.maxUnderWay) {
      refuse(response, bound);
      bound.onRefused(request);
      return;
    }
    underWay += 1;
    // When the response was sent, or the client has disconnected.
    response.once("close", () => (underWay -= 1));
    for (const handle of handlers) handle.call(server, request, response);
  });
}

/** Node discards the rest of the request's body; the connection stays open. */
function refuse(response: ServerResponse, { limit, newRequestId }: RequestBound): void {
  const requestId = newRequestId();
  const error = unavailable("The service has more requests than it can take. Try again.");
  const { status, headers, body } = errorAnswer(error, requestId);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": limit,
    "x-request-id": requestId,
  });
  response.end(text);
}
