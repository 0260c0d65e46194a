// One POST to a server that the operator has named, so private addresses are allowed. Called by witness.ts.
// Redirects are not followed. An answer is bounded in its size and its time.

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { rootCertificates } from "node:tls";

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;

export interface Posted {
  readonly url: URL;
  readonly contentType: string;
  readonly body: Buffer;
  /** PEM of authorities besides the usual ones. */
  readonly extraAuthorities: string | undefined;
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Rejects where no whole answer comes in time, and where it is too large. */
export function post(
  { body, contentType, extraAuthorities, timeoutMs = TIMEOUT_MS, url }: Posted,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, reject, resolve } = Promise.withResolvers<Answer>();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const ca = extraAuthorities && { ca: [...rootCertificates, extraAuthorities] };
  const request = send(url, {
    ...ca,
    agent: false,
    method: "POST",
    headers: { "content-type": contentType, "content-length": body.length },
    maxHeaderSize: MAX_HEADER_BYTES,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  request.on("error", reject);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES)
        request.destroy(new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`));
      else chunks.push(chunk);
    });
    response.on("error", reject);
    response.on("end", () =>
      resolve({
        status: response.statusCode ?? 0,
        contentType: response.headers["content-type"] ?? "",
        body: Buffer.concat(chunks),
      }),
    );
  });
  request.end(body);
  return promise;
}
