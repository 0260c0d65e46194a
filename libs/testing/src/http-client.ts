// A client of the interface for tests: it sends what it is given, unchanged, and gives
// back everything of the answer. It never throws for a status.

import { Agent, request as send } from "node:http";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as text. */
  readonly text: string;
  /** Absent where a test has made the answer. */
  readonly bytes?: Buffer;
  /** The text as JSON; undefined where it is empty or none. */
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any -- tests look into it freely
}

export interface Sent {
  /** A value to send as JSON, or text or bytes to send as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request and its answer. */
export interface Traffic {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly answer: Answer;
}

export class HttpClient {
  /** Sees every exchange of every client; what it throws, `send` rejects with. */
  static watch: ((traffic: Traffic) => void) | undefined;
  readonly #baseUrl: string;
  readonly #key: string | undefined;
  readonly #agent: Agent;

  /** `baseUrl` without `/v1`. Without a key no Authorization header is sent. */
  constructor(baseUrl: string, key?: string, agent = new Agent({ keepAlive: true })) {
    this.#baseUrl = baseUrl;
    this.#key = key;
    this.#agent = agent;
  }

  /** The same client with another key. */
  as(key: string | undefined): HttpClient {
    return new HttpClient(this.#baseUrl, key, this.#agent);
  }

  get = (path: string, sent?: Sent): Promise<Answer> => this.send("GET", path, sent);
  post = (path: string, body?: unknown, sent?: Sent): Promise<Answer> =>
    this.send("POST", path, { body, ...sent });
  patch = (path: string, body?: unknown, sent?: Sent): Promise<Answer> =>
    this.send("PATCH", path, { body, ...sent });
  delete = (path: string, sent?: Sent): Promise<Answer> => this.send("DELETE", path, sent);

  /** `path` is what follows the base address: `/v1/events`. */
  send(method: string, path: string, { body, headers }: Sent = {}): Promise<Answer> {
    const raw =
      body === undefined || typeof body === "string" || body instanceof Uint8Array
        ? body
        : JSON.stringify(body);
    const sent = {
      ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }),
      ...(raw !== undefined && {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(raw)),
      }),
      ...headers,
    };
    const answered = new Promise<Answer>((resolve, reject) => {
      const request = send(this.#baseUrl + path, { method, agent: this.#agent, headers: sent });
      request.on("error", reject);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text,
            bytes,
            body: asJson(text),
          });
        });
      });
      request.end(raw);
    });
    return answered.then((answer) => {
      HttpClient.watch?.({ method, path, headers: sent, body: raw, answer });
      return answer;
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Undefined where the text is no JSON. */
export function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
