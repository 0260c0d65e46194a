// What an identity provider says of itself: its discovery document, fetched when it is first needed and kept
// for an hour. Called for logins and logouts. A provider that is down fails these and nothing else.

import type * as Jose from "jose";
import type * as OpenIdClient from "openid-client";
import type { Provider } from "../identity/rules/identity.ts";
import { LoginFailure } from "../sessions/rules/login-failure.ts";
import type { BoundedFetch } from "./bounded-fetch.ts";

/** What is loaded only with an identity file, and at the start: a later import blocks the event loop. */
export interface OpenIdLibraries {
  readonly client: typeof OpenIdClient;
  readonly jose: typeof Jose;
}

export async function loadOpenId(): Promise<OpenIdLibraries> {
  const [client, jose] = await Promise.all([import("openid-client"), import("jose")]);
  return { client, jose };
}

export interface MetadataDeps {
  readonly fetch: BoundedFetch;
  readonly libraries: OpenIdLibraries;
  readonly provider: Provider;
  /** Milliseconds that nothing steps. */
  readonly monotonicMs: () => number;
}

const KEPT_MS = 3_600_000;
/** Time until a discovery that failed is tried again, if an older document is known. */
const RETRY_MS = 60_000;

type Metadata = OpenIdClient.ServerMetadata;

export class ProviderMetadata {
  readonly #deps: MetadataDeps;
  #known: { readonly value: Metadata; staleAt: number } | undefined;
  #discovery: Promise<Metadata> | undefined;

  constructor(deps: MetadataDeps) {
    this.#deps = deps;
  }

  /** An hour old at most, or longer if the provider does not respond. */
  async get(): Promise<Metadata> {
    const { monotonicMs } = this.#deps;
    const known = this.#known;
    if (known && known.staleAt > monotonicMs()) return known.value;
    this.#discovery ??= this.#discover().finally(() => (this.#discovery = undefined));
    try {
      return await this.#discovery;
    } catch (error) {
      if (!known) throw error;
      known.staleAt = monotonicMs() + RETRY_MS;
      return known.value;
    }
  }

  /** It is fetched again before it is used. */
  forget(): void {
    this.#known = undefined;
  }

  /** Only a provider on this machine. */
  get isPlain(): boolean {
    return this.#deps.provider.issuer.startsWith("http:");
  }

  async #discover(): Promise<Metadata> {
    const { fetch, libraries, monotonicMs, provider } = this.#deps;
    const { client } = libraries;
    const options = {
      [client.customFetch]: fetch,
      execute: this.isPlain ? [client.allowInsecureRequests] : [],
    };
    const issuer = new URL(provider.issuer);
    const found = await client.discovery(issuer, provider.clientId, undefined, undefined, options);
    const value = found.serverMetadata();
    // The library allows another slash at the end, and the templates of some providers.
    if (value.issuer !== provider.issuer)
      throw new LoginFailure(
        { fault: "token", detail: "issuer" },
        `the discovery document names the issuer ${JSON.stringify(value.issuer)}`,
      );
    this.#known = { value, staleAt: monotonicMs() + KEPT_MS };
    return value;
  }
}
