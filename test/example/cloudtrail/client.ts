// A small client of the interface, as any program could have one. It waits when the service says
// so, and it sends a request again only where that can do no fault: a read, a write that carries an
// idempotency key, or anything that the rate limit kept out.

import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

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

const RATE_LIMITED = 429;

const JSON_BODY = { "content-type": "application/json" };

interface Init {
  readonly method?: "POST" | "DELETE";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether doing it twice does nothing more than doing it once. */
  readonly isRepeatable: boolean;
}

/** An answer that is final and no success. */
export class Refused extends Error {
  readonly status: number;

  constructor(what: string, status: number, text: string) {
    super(`${what} was answered ${status}: ${text}`);
    this.status = status;
  }
}

export class Client {
  readonly #options: ClientOptions;
  readonly #base: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  }

  async get<T>(path: string): Promise<Answer<T>> {
    return answerOf(await this.#send(path, { isRepeatable: true }));
  }

  /** `body` is JSON text. The key makes it safe to send twice. */
  async post<T>(path: string, body: string, idempotencyKey: string): Promise<Answer<T>> {
    const headers = { ...JSON_BODY, "idempotency-key": idempotencyKey };
    return answerOf(await this.#send(path, { method: "POST", body, headers, isRepeatable: true }));
  }

  /** A POST that takes no idempotency key: where an answer is lost, it is not sent again. */
  async create<T>(path: string, body: string): Promise<Answer<T>> {
    const init = { method: "POST", body, headers: JSON_BODY, isRepeatable: false } as const;
    return answerOf(await this.#send(path, init));
  }

  async delete(path: string): Promise<void> {
    await (await this.#send(path, { method: "DELETE", isRepeatable: true })).arrayBuffer();
  }

  /** Writes the answer's body to a file as it comes. */
  async download(path: string, file: string): Promise<void> {
    const { body } = await this.#send(path, { isRepeatable: true });
    if (body === null) throw new Error(`GET ${path} was answered without a body`);
    await pipeline(Readable.fromWeb(body), createWriteStream(file));
  }

  /** Resolves to an answer of success whose body was not read. Throws Refused for any other. */
  async #send(path: string, init: Init): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === MAX_ATTEMPTS;
      const response = await this.#attempt(path, init, isLast || !init.isRepeatable);
      if (response === undefined) continue;
      if (response.ok) return response;
      const { status } = response;
      const text = await response.text();
      const retryAfter = Number(response.headers.get("retry-after"));
      const mayRepeat = init.isRepeatable || status === RATE_LIMITED;
      if (!(retryAfter > 0) || isLast || !mayRepeat) {
        throw new Refused(`${init.method ?? "GET"} ${path}`, status, text);
      }
      await this.#wait(retryAfter, status === RATE_LIMITED ? "the rate limit" : "the service");
    }
  }

  /** Resolves to undefined when there was no answer and another attempt may follow. */
  async #attempt(path: string, init: Init, isLast: boolean): Promise<Response | undefined> {
    const { isRepeatable: _, headers, ...rest } = init;
    try {
      return await fetch(`${this.#base}${path}`, {
        ...rest,
        headers: { ...headers, authorization: `Bearer ${this.#options.key}` },
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

async function answerOf<T>(response: Response): Promise<Answer<T>> {
  const replayed = response.headers.get("idempotent-replayed") === "true";
  return { body: (await response.json()) as T, replayed };
}
