// Refuses a request by its request line and headers alone. Called by app.ts and register-routes.ts.

import { type AnnalsError, invalid } from "@annals/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { MAX_PATH_LENGTH, MAX_URL_LENGTH, pathTooLong, urlTooLong } from "../url-length.ts";

const MAX_HEADERS = 100;
const HOST = "host";

/** Before the request is authenticated: an `invalid`; undefined for a valid head. */
export function faultOfRequestHead({
  headers,
  httpVersion,
  rawHeaders,
  url,
}: IncomingMessage): AnnalsError | undefined {
  if (url !== undefined && url.length > MAX_PATH_LENGTH) {
    if (url.length > MAX_URL_LENGTH) return urlTooLong();
    const end = url.indexOf("?");
    if (end === -1 || end > MAX_PATH_LENGTH) return pathTooLong();
  }
  if (rawHeaders.length / 2 > MAX_HEADERS) {
    return invalid({ field: "", message: `The request has more than ${MAX_HEADERS} headers.` });
  }
  // RFC 9112, section 3.2.
  if (headers.host === undefined && httpVersion === "1.1") {
    return invalid({ field: "Host", message: "is required" });
  }
  // Node keeps the first one, and a proxy before it may have routed by the last.
  if (isRepeated(rawHeaders, HOST)) {
    return invalid({ field: "Host", message: "must be sent once" });
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    return invalid({ field: "Expect", message: "must be 100-continue or omitted" });
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
    return invalid({ field: "Transfer-Encoding", message: "must be chunked or omitted" });
  }
  return undefined;
}

function isRepeated(rawHeaders: readonly string[], wanted: string): boolean {
  let count = 0;
  // Names and values alternate. The length rules out most names quickly.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count > 1;
}

/** A hook before a route that reads the header `name`: Node would join two of them into one. */
export function refuseRepeated(name: string) {
  const field = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return ({ raw }: FastifyRequest, _reply: FastifyReply, next: (error?: Error) => void): void => {
    const isTwice = raw.headers[name] !== undefined && isRepeated(raw.rawHeaders, name);
    next(isTwice ? invalid({ field, message: "must be sent once" }) : undefined);
  };
}
