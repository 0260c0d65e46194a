// A browser without a page: it asks the gateway under the origin that the services believe to have, and keeps
// cookies. Called by tests in which people log in.

import { type Answer, HttpClient } from "@annals/testing";

export class Browser {
  readonly #client: HttpClient;
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(baseUrl: string, origin: string) {
    this.#client = new HttpClient(baseUrl);
    this.#origin = origin;
  }

  async get(path: string): Promise<Answer> {
    return this.#keep(await this.#client.get(path, { headers: { cookie: this.cookie } }));
  }

  /** A request of a page of the origin. */
  async post(path: string, body: object): Promise<Answer> {
    const headers = {
      "content-type": "application/json",
      origin: this.#origin,
      cookie: this.cookie,
    };
    return this.#keep(await this.#client.post(path, body, { headers }));
  }

  get cookie(): string {
    return Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join("; ");
  }

  /** The session cookie alone. */
  get session(): string {
    return this.#cookies.get("__Host-annals-session") ?? "";
  }

  #keep(answer: Answer): Answer {
    const { "set-cookie": sets = [] }: Readonly<Record<string, unknown>> = answer.headers;
    for (const set of sets as readonly string[]) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }
}
