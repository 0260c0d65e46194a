// The client of the admin API in the console. The cookie of the session goes along by itself: this page and
// the API have one origin. Made once by console-app.ts.

import { AnnalsError } from "@annals/sdk";

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  /** The services that have not answered, of a list that asks others. */
  readonly unavailable?: readonly string[];
}

interface Asked {
  readonly body?: object;
  readonly signal?: AbortSignal;
}

interface Refused {
  readonly error?: { readonly type?: string; readonly message?: string };
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";
type ErrorType = ConstructorParameters<typeof AnnalsError>[0];

export class AdminApi {
  readonly #fetch: typeof fetch;
  readonly #onEnded: () => void;

  /** `onEnded` is called with each 401: the session has ended. */
  constructor(given: { readonly fetch: typeof fetch; readonly onEnded: () => void }) {
    this.#fetch = given.fetch;
    this.#onEnded = given.onEnded;
  }

  /** The `data` of a response. */
  async data<T>(path: string, signal?: AbortSignal): Promise<T> {
    const { data } = (await this.ask("GET", path, signal && { signal })) as { readonly data: T };
    return data;
  }

  async page<T>(path: string, signal?: AbortSignal): Promise<Page<T>> {
    return (await this.ask("GET", path, signal && { signal })) as Page<T>;
  }

  /** Throws AnnalsError. */
  async ask(method: Method, path: string, { body, signal }: Asked = {}): Promise<unknown> {
    const response = await this.#send(method, path, {
      method,
      cache: "no-store",
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const answer: unknown = text === "" ? undefined : JSON.parse(text);
    if (response.ok) return answer;
    if (response.status === 401) this.#onEnded();
    const { error = {} } = (answer ?? {}) as Refused;
    const { message = `${response.status}`, type = "server_error" } = error;
    const requestId = response.headers.get("x-request-id");
    const known = { status: response.status, ...(requestId !== null && { requestId }) };
    throw new AnnalsError(type as ErrorType, message, known);
  }

  async #send(method: Method, path: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(path, init);
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      throw new AnnalsError("connection_error", `${method} ${path} got no response.`, { cause });
    }
  }
}
