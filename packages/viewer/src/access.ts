// The token of a viewer: where it comes from, and when a new one is needed. Used by the element.

import { type Access, tokenOf } from "./client.ts";
import type { WidgetToken } from "./types.ts";

/** How long before its end a token is renewed. */
const BEFORE_END_MS = 60_000;
/** A provider is not asked sooner for the next one: a token may be shorter, or the reader's clock wrong. */
const MIN_RENEWAL_MS = 30_000;
/** The longest time that a timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

export type TokenProvider = () => Promise<WidgetToken | string>;

export interface TokenOptions {
  readonly provider: () => TokenProvider | undefined;
  /** The token ends soon, or has been refused. */
  readonly onExpiring: (hasExpired: boolean) => void;
}

export class Token implements Access {
  readonly #options: TokenOptions;
  /** The token of whose end the page was told last. */
  #told = "";
  #current: WidgetToken = { token: "" };
  #asking: Promise<WidgetToken> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #given = Promise.withResolvers<void>();

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  set(token: WidgetToken, soonestMs = 0): void {
    this.#current = token;
    if (token.token !== "") this.#given.resolve();
    clearTimeout(this.#timer);
    const end = Date.parse(token.expires_at ?? "");
    if (Number.isNaN(end)) return;
    const wait = Math.max(soonestMs, end - BEFORE_END_MS - Date.now());
    if (wait <= MAX_TIMER_MS) this.#timer = setTimeout(() => this.#expire(), wait);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Waits for the page if it has set neither a token nor a provider yet. */
  token = async (): Promise<string> => {
    if (this.#current.token === "" && this.#options.provider()) await this.#ask();
    await this.#given.promise;
    return this.#current.token;
  };

  /** Returns the token that the page has set meanwhile, or asks for another. */
  renew = async (refused: string): Promise<string | undefined> => {
    if (this.#current.token !== refused) return this.#current.token;
    // Requests that were sent together are refused together: the page is told once.
    if (this.#told !== refused) this.#options.onExpiring(true);
    this.#told = refused;
    if (!this.#options.provider()) return undefined;
    await this.#ask();
    return this.#current.token;
  };

  #expire(): void {
    this.#options.onExpiring(false);
    // One that fails is asked again when the token is refused.
    if (this.#options.provider()) this.#ask().catch(() => undefined);
  }

  /** Asks once at a time: further callers share the request in progress. */
  async #ask(): Promise<void> {
    const provider = this.#options.provider();
    if (!provider) return;
    this.#asking ??= provider().then(tokenOf);
    try {
      this.set(await this.#asking, MIN_RENEWAL_MS);
    } finally {
      this.#asking = undefined;
    }
  }
}
