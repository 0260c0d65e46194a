// Sends the calls of the SDK with fetch: headers, timeouts, retries, errors, hooks. Called by annals.ts and
// routes.ts. It must never repeat a call that may have had its effect and is not safe to repeat, and never
// follow a redirect, which would show the API key to another host.

import { AnnalsError, errorOf } from "./annals-error.ts";
import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import { compressed } from "./gzip.ts";
import { jsonOf } from "./json-text.ts";
import { isRefused, isTemporary, retryDelay } from "./retry.ts";

export interface Attempt {
  /** Operation id of the OpenAPI document: `create-event`. */
  readonly operation: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Starts at 1. */
  readonly attempt: number;
}

export interface AttemptResult {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly error: AnnalsError | undefined;
  readonly durationMs: number;
}

/** Called before each attempt: adds headers to it, and is told how it ended. */
export type Observe = (attempt: Attempt) =>
  | {
      readonly headers?: Readonly<Record<string, string>>;
      readonly end?: (result: AttemptResult) => void;
    }
  | undefined
  | void;

export interface TransportOptions {
  /** The service's address, without `/v1`. */
  readonly baseUrl: string;
  /** A function is asked before each attempt, so that a key can be replaced. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Timeout of one attempt. By default 30,000. */
  readonly timeoutMs?: number;
  /** Attempts after the first one. By default 4. */
  readonly maxRetries?: number;
  /** A longer Retry-After is not waited for. By default 90,000. */
  readonly maxRetryDelayMs?: number;
  /** For traces and metrics. */
  readonly observe?: Observe;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock?: Clock;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
}

export interface Call {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly query?: object | undefined;
  /** A value for JSON, or JSON text. */
  readonly body?: object | string | undefined;
  /** The type of the body; by default that of JSON. */
  readonly mediaType?: string | undefined;
  /** Makes a POST safe to repeat. */
  readonly idempotencyKey?: string | undefined;
}

interface PreparedCall extends Omit<Call, "body"> {
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

const DEFAULTS = { timeoutMs: 30_000, maxRetries: 4, maxRetryDelayMs: 90_000 };

/** What reads a response of success. */
type Read<T> = (response: Response) => Promise<T>;

export class Transport {
  readonly #options: TransportOptions & typeof DEFAULTS;
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(options: TransportOptions) {
    const { protocol } = new URL(options.baseUrl);
    if (protocol !== "http:" && protocol !== "https:")
      throw new TypeError("baseUrl must be an http or https URL");
    if (!options.apiKey) throw new TypeError("apiKey is missing");
    this.#options = { ...DEFAULTS, ...options };
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#random = options.random ?? Math.random;
  }

  /** The body of the response; undefined if it has none. */
  async json<T>(call: Call, options?: CallOptions): Promise<T> {
    return this.#send(call, options, async (response) => {
      const text = await response.text();
      return (text === "" ? undefined : JSON.parse(text)) as T;
    });
  }

  /** The member `data` of the body. */
  async data<T>(call: Call, options?: CallOptions): Promise<T> {
    return (await this.json<{ data: T }>(call, options)).data;
  }

  /** The response itself, whose body is read by the caller. */
  async response(call: Call, options?: CallOptions): Promise<Response> {
    return this.#send(call, options, (response) => Promise.resolve(response));
  }

  async #send<T>(given: Call, options: CallOptions = {}, read: Read<T>): Promise<T> {
    const call = { ...given, body: await bodyOf(given.body) };
    const { maxRetries = this.#options.maxRetries, signal } = options;
    const isRepeatable = call.method !== "POST" || call.idempotencyKey !== undefined;
    let mayBeDone = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(call, attempt, options, read);
      } catch (error) {
        // A refusal is certain, and says more than that the call was aborted.
        if (!isRefused(error)) signal?.throwIfAborted();
        // The attempt before deleted it, and its response did not arrive.
        const isDeleted = mayBeDone && AnnalsError.is(error, "not_found");
        if (call.method === "DELETE" && isDeleted) return undefined as T;
        mayBeDone ||= !isRefused(error);
        const delay = retryDelay(error, attempt, this.#random());
        const isAllowed = isTemporary(error) && (isRepeatable || isRefused(error));
        if (!isAllowed || attempt > maxRetries || delay > this.#options.maxRetryDelayMs)
          throw error;
        await this.#clock.wait(delay, signal);
        signal?.throwIfAborted();
      }
    }
  }

  async #attempt<T>(
    { operation, method, path, ...call }: PreparedCall,
    attempt: number,
    options: CallOptions,
    read: Read<T>,
  ): Promise<T> {
    const { timeoutMs = this.#options.timeoutMs, signal } = options;
    const observed = this.#options.observe?.({ operation, method, path, attempt });
    const started = this.#clock.now();
    const limit = new AbortController();
    const either = signal ? AbortSignal.any([limit.signal, signal]) : limit.signal;
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    let response: Response | undefined;
    let error: AnnalsError | undefined;
    let isBegun = false;
    try {
      const headers = { ...observed?.headers, authorization: `Bearer ${await this.#key()}` };
      isBegun = true;
      response = await this.#fetch({ operation, method, path, ...call }, headers, either);
      if (response.ok) return await read(response);
      throw errorOf(response, await response.text(), this.#clock.now());
    } catch (thrown) {
      const message = limit.signal.aborted ? `no response within ${timeoutMs} ms` : undefined;
      error = asError(thrown, message, !isBegun);
      throw error;
    } finally {
      clearTimeout(timer);
      observed?.end?.({
        status: response?.status,
        requestId: response?.headers.get("x-request-id") ?? undefined,
        error,
        durationMs: this.#clock.now() - started,
      });
    }
  }

  async #key(): Promise<string> {
    const { apiKey } = this.#options;
    return typeof apiKey === "string" ? apiKey : apiKey();
  }

  async #fetch(
    { method, path, query, body, idempotencyKey, mediaType = "application/json" }: PreparedCall,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const { fetch = globalThis.fetch } = this.#options;
    const init: RequestInit = {
      method,
      redirect: "manual",
      signal,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-type": mediaType }),
        ...(typeof body === "object" && { "content-encoding": "gzip" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      body: body ?? null,
    };
    return fetch(`${this.#baseUrl}/v1${path}${queryOf(query)}`, init);
  }
}

/** A call that only reads. */
export function get(operation: string, path: string) {
  return { operation, method: "GET", path };
}

export function post(operation: string, path: string) {
  return { operation, method: "POST", path };
}

export function put(operation: string, path: string) {
  return { operation, method: "PUT", path };
}

async function bodyOf(body: object | string | undefined): Promise<PreparedCall["body"]> {
  if (body === undefined) return undefined;
  return compressed(typeof body === "object" ? jsonOf(body) : body);
}

function queryOf(query: object = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    // No value of a filter selects nothing: without the parameter it would select everything.
    const values = Array.isArray(value) && value.length === 0 ? [""] : [value].flat();
    for (const one of values) if (one !== undefined) params.append(name, String(one));
  }
  // A space is `+` in a form, and a service cannot tell it from a plus sign that was left as it is.
  return params.size === 0 ? "" : `?${String(params).replaceAll("+", "%20")}`;
}

function asError(thrown: unknown, timeout: string | undefined, isUnsent: boolean): AnnalsError {
  if (AnnalsError.is(thrown)) return thrown;
  const known = { cause: thrown, isUnsent: isUnsent || isUnconnected(thrown) };
  if (timeout !== undefined) return new AnnalsError("timeout_error", timeout, known);
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new AnnalsError("connection_error", `no response: ${reason}`, known);
}

/** Codes of fetch in Node.js and in Bun for a connection that was never open. */
const UNCONNECTED = ["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"];
const CONNECTING = ["connect", "getaddrinfo"];
/** What fetch says of the ports that it never connects to, such as 6000. */
const BAD_PORT = "bad port";

/** Node.js has the reason as the cause. */
function isUnconnected(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code, syscall, cause, message } = thrown as { code?: string; syscall?: string } & Error;
  if (message === BAD_PORT) return true;
  if (UNCONNECTED.includes(code ?? "") || CONNECTING.includes(syscall ?? "")) return true;
  return isUnconnected(cause);
}
