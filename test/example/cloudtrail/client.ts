// A small client of the interface, as any program could have one. It waits when the service says
// so, and it sends a request again only where that can do no harm: a read, or a write that carries
// an idempotency key.

/** What an answer of the service holds, of all that it sends. */
export interface Answer<T> {
  readonly body: T;
  /** Whether an earlier request with the same idempotency key had done the work. */
  readonly replayed: boolean;
}

export interface ClientOptions {
  /** With or without `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Told before each wait. */
  readonly onWait?: (seconds: number, reason: string) => void;
}

/**
 * Attempts at one request before its failure is final; a window of the rate limit ends within the
 * first wait.
 */
const MAX_ATTEMPTS = 5;

/** Waited where the service does not say how long, in seconds. */
const PAUSE_S = 1;

const TIMEOUT_MS = 60_000;

interface Init {
  readonly method?: "POST";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Client {
  readonly #options: ClientOptions;
  readonly #base: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  }

  get<T>(path: string): Promise<Answer<T>> {
    return this.#send(path, {});
  }

  /** `body` is JSON text. The key makes it safe to send twice. */
  post<T>(path: string, body: string, idempotencyKey: string): Promise<Answer<T>> {
    const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
    return this.#send(path, { method: "POST", body, headers });
  }

  async #send<T>(path: string, init: Init): Promise<Answer<T>> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === MAX_ATTEMPTS;
      const response = await this.#attempt(path, init, isLast);
      if (response === undefined) continue;
      const text = await response.text();
      if (response.ok) {
        const replayed = response.headers.get("idempotent-replayed") === "true";
        return { body: JSON.parse(text) as T, replayed };
      }
      const retryAfter = Number(response.headers.get("retry-after"));
      if (!(retryAfter > 0) || isLast) {
        throw new Error(`${init.method ?? "GET"} ${path} was answered ${response.status}: ${text}`);
      }
      await this.#wait(retryAfter, response.status === 429 ? "the rate limit" : "the service");
    }
  }

  /** Resolves to undefined when there was no answer and another attempt may follow. */
  async #attempt(path: string, init: Init, isLast: boolean): Promise<Response | undefined> {
    try {
      return await fetch(`${this.#base}${path}`, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${this.#options.key}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      if (isLast) throw new Error(`${this.#base} does not answer`, { cause });
      await this.#wait(PAUSE_S, "an answer");
      return undefined;
    }
  }

  async #wait(seconds: number, reason: string): Promise<void> {
    this.#options.onWait?.(seconds, reason);
    await this.#options.wait(seconds * 1_000);
  }
}
