// Responds to what never becomes a request: what Node's HTTP parser refuses (malformed, too slow, too long),
// a body that arrives too slowly, and CONNECT. Called by app.ts. The
// connection is closed afterwards. The response has the error shape and the rate-limit headers like any
// other.

import { AnnalsError, invalid } from "@annals/errors";
import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorResponse } from "../errors.ts";
import { peerAddress } from "./client-address.ts";
import type { EarlyResponses } from "./early-response.ts";
import { PRIVATE_HEADERS } from "./private-headers.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";

interface ParserError extends Error {
  readonly code?: string;
}

export interface ClientErrorOptions {
  readonly limit: number;
  readonly newRequestId: () => string;
  readonly inFlight: Pick<RequestsInFlight, "allResponded">;
  readonly earlyResponses: Pick<EarlyResponses, "drain">;
}

const TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT";

/** The handler of parser errors, and what refuses CONNECT. */
export function respondToClientErrors(options: ClientErrorOptions) {
  const refused = new WeakSet<Duplex>();
  const refuse = async (socket: Duplex, error: AnnalsError, isLate = false): Promise<void> => {
    // The parser reports an error for everything that arrives after one.
    if (refused.has(socket)) return;
    refused.add(socket);
    const hasResponse = await options.inFlight.allResponded(socket);
    if (hasResponse || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = options.newRequestId();
    const text = rawResponse(error, { limit: options.limit, requestId });
    const isSent = new Promise<void>((resolve) => socket.end(text, resolve));
    // A client that was too slow gets no more time.
    if (!isLate) await options.earlyResponses.drain(socket, peerAddress(socket as Socket));
    await isSent;
    socket.destroy();
  };
  return {
    onClientError: (error: ParserError, socket: Duplex): void => {
      if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
      else void refuse(socket, parserFault(error), error.code === TIMEOUT);
    },
    refuseConnect: (server: Server): void => {
      server.on("connect", (_request, socket: Duplex) => {
        // Node has removed its own listeners from this socket; without one a reset would end the process.
        socket.on("error", () => socket.destroy());
        void refuse(socket, new AnnalsError("not_found", "CONNECT is not supported."));
      });
    },
  };
}

/** A complete HTTP/1.1 response as text, for where no reply object exists. */
function rawResponse(
  error: unknown,
  { limit, requestId }: { readonly limit: number; readonly requestId: string },
): string {
  const { status, body, headers } = errorResponse(error, requestId);
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    ...PRIVATE_HEADERS,
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
      return new AnnalsError("not_found", "The request method is not supported.");
    case "HPE_HEADER_OVERFLOW":
      return invalid({ field: "", message: "The request line and headers are too long." });
    case TIMEOUT:
      return invalid({ field: "", message: "The request took too long to arrive." });
    default:
      return invalid({ field: "", message: "The request is not valid HTTP." });
  }
}
