// The requests to identity providers: discovery, keys, tokens, userinfo. Given to openid-client and jose as
// their `fetch`. It follows no redirect, ends after five seconds whatever the server does, and reads 1 MiB.

import { once } from "node:events";
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlFault } from "../identity/rules/provider-url.ts";

/** Time of a request with its response. */
const TIMEOUT_MS = 5_000;
const MAX_BODY_BYTES = 1024 * 1024;

/** Statuses whose responses have no body, for which `Response` takes none. */
const BODILESS = new Set([204, 205, 304]);

/** No response: the server was not reached, took too long, or sent too much. */
export class FetchFailure extends Error {
  override readonly name = "FetchFailure";
}

interface FetchInit {
  readonly method?: string;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

export type BoundedFetch = (url: string, init?: FetchInit) => Promise<Response>;

export interface FetchOptions {
  /** Authorities (PEM) that are trusted instead of those of Node. */
  readonly ca?: string | undefined;
  /** HTTPS_PROXY and NO_PROXY, as Node reads them. */
  readonly proxy?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

/**
 * A `fetch` for what an operator has named. Rejects with a {@link FetchFailure}, also for a URL that is
 * neither encrypted nor on this machine.
 */
export function boundedFetch(options: FetchOptions = {}): BoundedFetch {
  const { ca, proxy = {}, timeoutMs = TIMEOUT_MS } = options;
  const encrypted = new HttpsAgent({ proxyEnv: { ...proxy }, ...(ca !== undefined && { ca }) });
  const plain = new HttpAgent();
  return async (text, init = {}) => {
    const fault = urlFault(text);
    if (fault !== undefined) throw new FetchFailure(`the URL of an identity provider ${fault}`);
    const url = new URL(text);
    const agent = url.protocol === "https:" ? encrypted : plain;
    try {
      return await exchange(url, init, { agent, timeoutMs });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : "failed";
      throw new FetchFailure(`${init.method ?? "GET"} ${url.origin}${url.pathname}: ${reason}`, {
        cause,
      });
    }
  };
}

async function exchange(
  url: URL,
  { body, headers, method = "GET", signal }: FetchInit,
  { agent, timeoutMs }: { readonly agent: HttpAgent; readonly timeoutMs: number },
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const sent = body instanceof URLSearchParams ? body.toString() : undefined;
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(url, {
    agent,
    method,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    headers: {
      ...Object.fromEntries(new Headers(headers)),
      ...(sent !== undefined && { "content-length": Buffer.byteLength(sent) }),
    },
  });
  // What comes after the response is reported by its body.
  request.on("error", () => {});
  request.end(sent);
  try {
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return await readResponse(response);
  } finally {
    request.destroy();
  }
}

async function readResponse(response: IncomingMessage): Promise<Response> {
  const { headers, statusCode: status = 0 } = response;
  if (status < 200 || status > 599) throw new Error(`its status is ${status}`);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) throw new Error(`it sent more than ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  const shown = Object.entries(headers).flatMap(([name, value = ""]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  return new Response(BODILESS.has(status) ? null : Buffer.concat(pieces), {
    status,
    headers: shown,
  });
}
