// One attempt over HTTPS: sends a body, reads a bounded part of the response, and ends within its deadline
// whatever the receiver does. Called by sender.ts and by the receivers of sinks. It must never follow a
// redirect, decompress, or read beyond its bounds, and never reject: every end is an outcome.
//
// The bound counts what arrives on the connection, not what the parser makes of it: a body of 64 KiB may come
// in gigabytes of chunk extensions, and endless responses of status 1xx may come before the final one.

import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ATTEMPT_OUTCOMES } from "../metrics.ts";
import { type AddressGuard, hostOf, isForbidden } from "./address-guard.ts";
import { addressTimeoutMs } from "@annals/chassis";
import { arrivedOn, type CountedRequestOptions, type CountingAgent } from "./counting-agent.ts";
import { isIP, type LookupFunction, type Socket } from "node:net";

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export interface AttemptResult {
  readonly outcome: AttemptOutcome | "abandoned";
  /** Status of the response; null without a response. */
  readonly statusCode: number | null;
  /** Code of the error that ended the attempt, if there was one. */
  readonly errorCode?: string;
  /** What was read of the response, if {@link Outgoing.capture} is set. */
  readonly response?: CapturedResponse;
}

export interface CapturedResponse {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether all of the body was read. */
  readonly isComplete: boolean;
}

export interface Outgoing {
  /** Account on whose behalf the name is resolved. */
  readonly accountId: string;
  /** Method of the request; POST by default. */
  readonly method?: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array;
  /** Keeps the response, up to a maximum of bytes of its body. By default its body is read and dropped. */
  readonly capture?: { readonly maxBytes: number };
}

export interface ExchangeOptions {
  readonly guard: AddressGuard;
  /** Agent that reuses connections. */
  readonly agent: CountingAgent;
  /** Agent that opens a connection for one request. */
  readonly freshAgent: CountingAgent;
  readonly timeoutMs: number;
  /** Aborted when the process drains: then an attempt without a response counts as not made. */
  readonly signal: AbortSignal;
}

/**
 * Maximum bytes of a response body that is not captured. A larger body ends the connection, and changes
 * nothing else.
 */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Maximum bytes of the status line and all headers of the response. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum bytes of session tickets and records of TLS, and of the framing of chunks. */
const FRAMING_BYTES = 16 * 1024;
/** Maximum bytes that arrive during the handshake, with long chains of certificates. */
const MAX_HANDSHAKE_BYTES = 128 * 1024;
/** Interval of the check for bytes that arrive without an event, such as padding. */
const WATCH_INTERVAL_MS = 250;

/** Code of the error of an attempt whose time ends before its name is resolved, as that of c-ares. */
const UNRESOLVED = "ETIMEOUT";

/** Codes of errors of a reused connection that the receiver closed while it was idle. */
const STALE = new Set(["ECONNRESET", "EPIPE"]);

export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #outgoing: Outgoing;
  readonly #done = Promise.withResolvers<AttemptResult>();
  readonly #ended = new AbortController();
  #request: ClientRequest | undefined;
  #statusCode: number | null = null;
  #captured: { headers: IncomingHttpHeaders; chunks: Buffer[]; isComplete: boolean } | undefined;
  #isResolved = false;
  #checkArrived: () => void = () => {};
  #unwatch: () => void = () => {};

  constructor(options: ExchangeOptions, outgoing: Outgoing) {
    this.#options = options;
    this.#outgoing = outgoing;
  }

  async run(): Promise<AttemptResult> {
    const { guard, agent, signal, timeoutMs } = this.#options;
    if (!guard.mayConnect(hostOf(this.#outgoing.url))) {
      return { outcome: "address", statusCode: null };
    }
    // The status decides, however long the body is.
    const timer = setTimeout(() => {
      this.#end(this.#received() ?? "timeout", this.#isResolved ? undefined : UNRESOLVED);
    }, timeoutMs);
    const abandon = (): void => this.#end(this.#received() ?? "abandoned");
    signal.addEventListener("abort", abandon, { once: true });
    const watch = setInterval(() => this.#checkArrived(), WATCH_INTERVAL_MS);
    if (signal.aborted) abandon();
    else this.#send(agent);
    try {
      return await this.#done.promise;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      this.#unwatch();
      signal.removeEventListener("abort", abandon);
    }
  }

  #send(agent: CountingAgent): void {
    const { url, headers, body, method = "POST" } = this.#outgoing;
    const host = hostOf(url);
    this.#isResolved ||= isIP(host) !== 0;
    const options: CountedRequestOptions = {
      agent,
      ended: this.#ended.signal,
      autoSelectFamilyAttemptTimeout: addressTimeoutMs(this.#options.timeoutMs),
      method,
      host,
      port: url.port === "" ? 443 : Number(url.port),
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, "content-length": body.length },
      lookup: this.#lookup(),
      maxHeaderSize: MAX_HEADER_BYTES,
      // An IP address is not a valid server name (RFC 6066).
      servername: isIP(host) === 0 ? host : "",
    };
    const request = httpsRequest(options);
    this.#request = request;
    request.on("socket", (socket) => this.#watch(request, socket));
    request.on("response", (response) => this.#read(response));
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      this.#read(response);
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (this.#request !== request) return;
      const isStale =
        request.reusedSocket && this.#statusCode === null && STALE.has(error.code ?? "");
      if (isStale && agent !== this.#options.freshAgent) this.#send(this.#options.freshAgent);
      else this.#end(this.#received() ?? outcomeOf(error), error.code);
    });
    request.end(body);
  }

  /** Notes whether the name has an address, so that a time that ends before tells nothing of it. */
  #lookup(): LookupFunction {
    const lookup = this.#options.guard.lookupFor(this.#outgoing.accountId);
    return (hostname, options, callback) =>
      lookup(hostname, options, (error, ...found) => {
        this.#isResolved ||= error === null;
        callback(error, ...found);
      });
  }

  /** Ends the attempt with the first bytes beyond the bound, before they are parsed. */
  #watch(request: ClientRequest, socket: Socket): void {
    this.#unwatch();
    this.#isResolved = true;
    let from = arrivedOn(socket);
    // After the handshake, or after the previous response on the same connection.
    const maxArrivedBytes = this.#maxBodyBytes() + MAX_HEADER_BYTES + FRAMING_BYTES;
    let allowed = request.reusedSocket ? maxArrivedBytes : MAX_HANDSHAKE_BYTES;
    const onSecure = (): void => {
      from = arrivedOn(socket);
      allowed = maxArrivedBytes;
    };
    const check = (): void => {
      if (arrivedOn(socket) - from > allowed) this.#end(this.#received() ?? "invalid_response");
    };
    socket.once("secureConnect", onSecure);
    socket.prependListener("data", check);
    // A session ticket of TLS 1.3 emits no other event.
    socket.on("session", check);
    this.#checkArrived = check;
    this.#unwatch = () => {
      socket.off("secureConnect", onSecure);
      socket.off("data", check);
      socket.off("session", check);
    };
  }

  #read(response: IncomingMessage): void {
    this.#statusCode = response.statusCode ?? null;
    const captured = this.#outgoing.capture && {
      headers: response.headers,
      chunks: [] as Buffer[],
      isComplete: false,
    };
    this.#captured = captured;
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.#maxBodyBytes()) this.#end(this.#received() ?? "invalid_response");
      else captured?.chunks.push(chunk);
    });
    // The request is not destroyed, so that the connection can be reused.
    response.on("end", () => {
      if (captured) captured.isComplete = response.complete;
      this.#settle(this.#received() ?? "invalid_response");
    });
    response.on("error", () => this.#end(this.#received() ?? "invalid_response"));
  }

  #maxBodyBytes(): number {
    return this.#outgoing.capture?.maxBytes ?? MAX_RESPONSE_BYTES;
  }

  /** The outcome according to the status. */
  #received(): "success" | "refused" | undefined {
    if (this.#statusCode === null) return undefined;
    return this.#statusCode >= 200 && this.#statusCode < 300 ? "success" : "refused";
  }

  #end(outcome: AttemptResult["outcome"], errorCode?: string): void {
    const request = this.#request;
    this.#request = undefined;
    this.#settle(outcome, errorCode);
    this.#ended.abort();
    request?.destroy();
  }

  #settle(outcome: AttemptResult["outcome"], errorCode?: string): void {
    const captured = this.#captured;
    this.#done.resolve({
      outcome,
      statusCode: this.#statusCode,
      ...(errorCode !== undefined && { errorCode }),
      ...(captured && {
        response: {
          headers: captured.headers,
          body: Buffer.concat(captured.chunks),
          isComplete: captured.isComplete,
        },
      }),
    });
  }
}

/** The outcome of an attempt that ended by an error of a socket. */
export function outcomeOf(
  error: NodeJS.ErrnoException,
): Exclude<AttemptOutcome, "success" | "refused"> {
  const code = error.code ?? "";
  if (isForbidden(error)) return "address";
  if (code.startsWith("HPE_")) return "invalid_response";
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO)/.test(code)) {
    return "tls";
  }
  return "connection";
}
