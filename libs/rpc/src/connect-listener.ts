// Serves HTTP/2 requests by the handlers of a Connect router. Called by server.ts. It does what Connect's
// own adapter does, except that a response that cannot be sent goes to the log: the adapter prints twenty
// lines on standard error for each caller that cancels a stream.

import type { Logger } from "@annals/chassis";
import { Code, ConnectError, type ConnectRouter, type ContextValues } from "@connectrpc/connect";
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import { cancelledByEnd, isCancellable } from "./cancellable.ts";

interface Options {
  /** Returns who made a call. */
  readonly contextValues: (stream: ServerHttp2Stream) => ContextValues;
  /** A larger message is refused. */
  readonly maxMessageBytes: number;
  readonly log: Logger;
}

const NOT_FOUND = 404;

export function connectListener(
  { handlers }: Pick<ConnectRouter, "handlers">,
  { contextValues, maxMessageBytes, log }: Options,
): (request: Http2ServerRequest, response: Http2ServerResponse) => void {
  const byPath = new Map(handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    const handler = byPath.get(request.url.split("?", 1)[0] ?? "");
    if (!handler) {
      response.writeHead(NOT_FOUND).end();
      return;
    }
    const values = contextValues(request.stream);
    const whole = universalRequestFromNodeRequest(request, response, undefined, values);
    handler(
      isCancellable(request.headers)
        ? cancelledByEnd(whole, request, response, maxMessageBytes)
        : whole,
    )
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        if (ConnectError.from(error).code === Code.Aborted) return;
        const isCancelled = response.stream.aborted;
        const fields = { err: error, rpc: handler.method.name };
        log[isCancelled ? "debug" : "warn"](fields, "rpc response not sent");
      });
  };
}
