// Bounds the requests that are under way in this process, whatever they wait for. Called by serve.ts. What is
// beyond the bound is refused before anything is done for it, so that a refusal comes at once and costs a
// fraction of a request: a queue that takes everything answers everyone too late. It must never count a
// request for longer than its answer lasts.

import { unavailable } from "@annals/errors";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { errorAnswer } from "../errors.ts";

export interface RequestBound {
  readonly maxUnderWay: number;
  /** Shown in the rate-limit headers: nobody has looked whose request it is. */
  readonly limit: number;
  readonly newRequestId: () => string;
  readonly onRefused: (request: IncomingMessage) => void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Stands before whoever listens for the requests of `server` by now. */
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
    // When the answer was sent, or the client has gone.
    response.once("close", () => (underWay -= 1));
    for (const handle of handlers) handle.call(server, request, response);
  });
}

/** What is left of the request's body is read and thrown away by Node; the connection serves on. */
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
