// A call that its client cancels by ending its request. Named by grpc-call.ts, which leaves the request open,
// and heeded by server.ts and the two paths behind it. The handler ends, and the stream ends as any other. It
// must never be reset: frames of the response that are on their way would come to a stream that is gone, and
// nghttp2 ends the connection, with every call on it, after some 1,000 of them. Node also counts what was
// queued on a stream that was reset as memory of its connection, and refuses all calls on it at a limit.

import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { MessageReader } from "./fast-path/message-frame.ts";

/** A header of the request. The request is then its one message, and an end before the response's cancels. */
export const CANCELLABLE_HEADER = "annals-cancelled-by";
export const CANCELLED_BY_END = "end-of-request";

/** What a client takes to end its request after the response; then the server ends the stream. */
const END_WITHIN_MS = 2_000;

export function isCancellable(headers: IncomingHttpHeaders): boolean {
  return headers[CANCELLABLE_HEADER] === CANCELLED_BY_END;
}

export function cancelled(): ConnectError {
  return new ConnectError("the client cancelled the call", Code.Canceled);
}

/** Ends a stream whose client does not end its request after the response. */
export function endInTime(stream: ServerHttp2Stream): void {
  stream.once("finish", () => {
    if (!stream.closed)
      stream.setTimeout(END_WITHIN_MS, () => stream.close(constants.NGHTTP2_NO_ERROR));
  });
}

/** The request as it is up to its message; its end aborts the signal while the response is not written. */
export function cancelledByEnd(
  whole: UniversalServerRequest,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  maxBytes: number,
): UniversalServerRequest {
  const ended = new AbortController();
  request.stream.once("end", () => {
    if (!response.writableEnded) ended.abort(cancelled());
  });
  const signal = AbortSignal.any([whole.signal, ended.signal]);
  return { ...whole, body: firstMessage(request, maxBytes), signal };
}

async function* firstMessage(
  request: Http2ServerRequest,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const reader = new MessageReader(maxBytes);
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    yield piece as Buffer;
    reader.add(piece as Buffer);
    if (reader.isWhole) break;
  }
  request.resume();
}
