// What is refused by looking at the request line and the headers alone, before anyone asks who sent them.

import { type AnnalsError, invalid } from "@annals/errors";
import type { IncomingMessage } from "node:http";

/** The longest useful URL is some 2 kB: a list with every filter. */
export const MAX_URL_LENGTH = 2_048;
const MAX_HEADERS = 100;

/** Of a URL, or of a part of its path, which the router refuses before anything is looked at here. */
export function urlTooLong(): AnnalsError {
  return invalid({ field: "", message: `The URL is longer than ${MAX_URL_LENGTH} characters.` });
}

/** An `invalid`, or undefined where nothing is wrong. */
export function faultOfWholeRequest({
  headers,
  httpVersion,
  rawHeaders,
  url,
}: IncomingMessage): AnnalsError | undefined {
  if ((url?.length ?? 0) > MAX_URL_LENGTH) return urlTooLong();
  if (rawHeaders.length / 2 > MAX_HEADERS) {
    return invalid({ field: "", message: `The request has more than ${MAX_HEADERS} headers.` });
  }
  // RFC 9112, section 3.2.
  if (headers.host === undefined && httpVersion === "1.1") {
    return invalid({ field: "Host", message: "is required" });
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    return invalid({ field: "Expect", message: "must be 100-continue, or be left out" });
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
    return invalid({ field: "Transfer-Encoding", message: "must be chunked, or be left out" });
  }
  return undefined;
}
