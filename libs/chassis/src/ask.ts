// One request to a server that the operator has named, so private addresses are allowed. Called by the
// dispatcher for witnesses and time stamps, and by `annals log status`. It must never follow a redirect, nor
// take more of an answer than its bytes and its time.

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { trustedContext } from "./trusted-context.ts";

/** Part of an attempt's time that one address of a name may take, unless it is the last one. */
const ADDRESS_SHARE = 1 / 4;

/**
 * Milliseconds after which the next address of a name is tried. A silent address leaves time for three
 * others, and one that is slow is not passed over after 250 ms, as by default.
 */
export function addressTimeoutMs(timeoutMs: number): number {
  return Math.ceil(timeoutMs * ADDRESS_SHARE);
}

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;

export interface Asked {
  readonly url: URL;
  /** Absent: a GET request. */
  readonly content?: { readonly body: Buffer; readonly type: string };
  /** PEM of authorities besides the usual ones. */
  readonly extraAuthorities: string | undefined;
  /** The most that the body of the answer may have. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Resolves the name; by default the system resolver does. */
  readonly lookup?: LookupFunction | undefined;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Rejects if no whole answer comes in time, or if it is too large. */
export function ask(
  {
    content,
    extraAuthorities,
    lookup,
    maxBytes = MAX_ANSWER_BYTES,
    timeoutMs = TIMEOUT_MS,
    url,
  }: Asked,
  signal?: AbortSignal,
): Promise<Answer> {
  const { promise, reject, resolve } = Promise.withResolvers<Answer>();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const options = {
    ...(extraAuthorities && { secureContext: trustedContext(extraAuthorities) }),
    ...(lookup && { lookup }),
    autoSelectFamilyAttemptTimeout: addressTimeoutMs(timeoutMs),
    agent: false,
    method: content ? "POST" : "GET",
    headers: content && { "content-type": content.type, "content-length": content.body.length },
    maxHeaderSize: MAX_HEADER_BYTES,
    signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(timeoutMs)]),
  };
  const request = send(url, options);
  request.on("error", reject);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else {
        // The answer may have come whole: then it ends although its request is destroyed.
        reject(new Error(`the answer has more than ${maxBytes} bytes`));
        request.destroy();
      }
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
  request.end(content?.body);
  return promise;
}

/** Says why there is no answer. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Why it was aborted is in the cause.
  if (error.name === "AbortError" && error.cause instanceof Error) return error.cause.message;
  // Node says nothing if no address of a name can be connected to.
  return error.message !== "" || !("code" in error) ? error.message : String(error.code);
}
