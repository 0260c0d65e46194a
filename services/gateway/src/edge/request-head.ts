// Refuses a request by its request line and headers alone, before it is authenticated. Called by app.ts.

import { type AnnalsError, invalid } from "@annals/errors";
import type { IncomingMessage } from "node:http";
import { MAX_URL_LENGTH, urlTooLong } from "../url-length.ts";

const MAX_HEADERS = 100;

/** An `invalid`; undefined for a valid head. */
export function faultOfRequestHead({
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
