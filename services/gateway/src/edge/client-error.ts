// Answers requests that Node's HTTP parser gives up on, before there is a request to speak of: malformed, too slow, too
// long. The connection is closed afterwards; the answer has the error shape and the rate-limit headers like any other.

import { AnnalsError, invalid } from "@annals/errors";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errorAnswer } from "../errors.ts";

interface ParserError extends Error {
  readonly code?: string;
}

export interface ClientErrorOptions {
  readonly limit: number;
  readonly newRequestId: () => string;
}

export function clientErrorHandler({ limit, newRequestId }: ClientErrorOptions) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    socket.end(rawAnswer(parserFault(error), { limit, requestId }), () => socket.destroySoon());
  };
}

/** A whole HTTP/1.1 answer as text, for where no reply object exists. */
export function rawAnswer(
  error: unknown,
  { limit, requestId }: { readonly limit: number; readonly requestId: string },
): string {
  const { status, body, headers } = errorAnswer(error, requestId);
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(limit),
    "x-request-id": requestId,
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${text}`;
}

function parserFault({ code }: ParserError): AnnalsError {
  switch (code) {
    case "HPE_INVALID_METHOD":
      return new AnnalsError("not_found", "There is no such method.");
    case "HPE_HEADER_OVERFLOW":
      return invalid({ field: "", message: "The request line and headers are too long." });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return invalid({ field: "", message: "The request took too long to arrive." });
    default:
      return invalid({ field: "", message: "The request is not valid HTTP." });
  }
}
