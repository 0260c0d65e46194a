// The client of /v1: one fetch per call, one error class. Used by all screens. The key is in a header and
// nowhere else: it must never be part of a URL, of an error or of a log line.

import type { Page } from "./shapes.ts";

export type Query = Readonly<Record<string, string | number | undefined>>;

/** What the newest answer said of the key's window. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

/** An answer that is no success, or no answer (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly requestId: string | undefined;
  /** Of a 429, and of a 500 that a retry can help. */
  readonly retryAfterS: number | undefined;
  readonly fields: readonly { readonly field: string; readonly message: string }[];

  constructor(answer: Pick<ApiError, "status" | "type" | "message"> & Partial<ApiError>) {
    super(answer.message);
    this.status = answer.status;
    this.type = answer.type;
    this.requestId = answer.requestId;
    this.retryAfterS = answer.retryAfterS;
    this.fields = answer.fields ?? [];
  }

  /** The scope that the key lacks; undefined for any other error. */
  get missingScope(): string | undefined {
    return this.type === "scope_error"
      ? /scope ([a-z]+:?[a-z]*)/.exec(this.message)?.[1]
      : undefined;
  }
}

interface Options {
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** Called with each 401: the key does not work any more. */
  readonly onRefusedKey: (error: ApiError) => void;
  readonly onRateLimit: () => void;
}

interface Call {
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export class Api {
  rateLimit: RateLimit | undefined;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The member `data` of the answer; of a 204 undefined. */
  async send<T>(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    call: Call = {},
  ): Promise<T> {
    const response = await this.#fetch(method, path, call);
    if (response.status === 204) return undefined as T;
    return ((await response.json()) as { data: T }).data;
  }

  /** One page of a list. */
  async page<T>(path: string, query: Query, signal?: AbortSignal): Promise<Page<T>> {
    const response = await this.#fetch("GET", path, { query, ...(signal && { signal }) });
    const { data, next_cursor } = (await response.json()) as {
      data: T[];
      next_cursor?: string | null;
    };
    return { data, nextCursor: next_cursor ?? undefined };
  }

  /** An answer whose body is a file. */
  download(path: string, signal: AbortSignal): Promise<Response> {
    return this.#fetch("GET", path, { signal });
  }

  async #fetch(method: string, path: string, { query, body, signal }: Call): Promise<Response> {
    const { key, fetch, onRefusedKey } = this.#options;
    let response: Response;
    try {
      response = await fetch(`/v1${path}${textOf(query)}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError({
        status: 0,
        type: "no_answer",
        message: "The service cannot be reached.",
      });
    }
    this.#readRateLimit(response.headers);
    if (response.ok) return response;
    const error = await errorOf(response);
    if (error.status === 401) onRefusedKey(error);
    throw error;
  }

  #readRateLimit(headers: Headers): void {
    const limit = Number(headers.get("x-ratelimit-limit") ?? Number.NaN);
    const remaining = Number(headers.get("x-ratelimit-remaining") ?? Number.NaN);
    if (!Number.isInteger(limit) || !Number.isInteger(remaining)) return;
    this.rateLimit = { limit, remaining, seenAt: this.#options.now() };
    this.#options.onRateLimit();
  }
}

function textOf(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

async function errorOf(response: Response): Promise<ApiError> {
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfter = response.headers.get("retry-after");
  const known = {
    status: response.status,
    requestId,
    retryAfterS: retryAfter === null ? undefined : Number(retryAfter),
  };
  try {
    const { error } = (await response.json()) as { error: Partial<ErrorBody> };
    const { type, code, message = "", details = [] } = error;
    return new ApiError({ ...known, type: type ?? code ?? "unknown", message, fields: details });
  } catch {
    // A proxy before the gateway, for example.
    const message = `The answer has the status ${response.status} and no error of the service.`;
    return new ApiError({ ...known, type: "unknown", message });
  }
}

interface ErrorBody {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly field: string; readonly message: string }[];
}
