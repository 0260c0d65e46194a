// The clients of the providers that the identity file has now. Called by the RPCs of sessions. When the file
// changes, each provider gets a new client, which knows nothing of before.

import type { Clock } from "@annals/contract";
import type { Identity, Provider } from "../identity/rules/identity.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { ProviderLogin } from "./provider-login.ts";
import { ProviderLogout } from "./provider-logout.ts";
import { type OpenIdLibraries, ProviderMetadata } from "./provider-metadata.ts";

export interface IdentityProvider {
  readonly provider: Provider;
  readonly login: ProviderLogin;
  readonly logout: ProviderLogout;
}

export interface IdentityProvidersDeps {
  readonly clock: Clock;
  readonly identities: { readonly current: Identity };
  readonly libraries: OpenIdLibraries;
  /** The origin at which browsers reach the gateway, or the operator's console. */
  readonly publicUrl: string;
  /** The page there that a provider sends browsers back to after a logout. */
  readonly home?: string;
  readonly proxy: Readonly<Record<string, string | undefined>>;
  readonly monotonicMs?: () => number;
  /** Time of all requests of one login, and of each request. */
  readonly timeoutMs?: number;
  readonly fetchTimeoutMs?: number;
}

const LOGIN_TIMEOUT_MS = 5_000;

export class IdentityProviders {
  readonly #deps: IdentityProvidersDeps;
  readonly #clients = new WeakMap<Provider, IdentityProvider>();

  constructor(deps: IdentityProvidersDeps) {
    this.#deps = deps;
  }

  get all(): readonly Provider[] {
    return this.#deps.identities.current.people;
  }

  /** Undefined: the file does not have it. */
  named(name: string): IdentityProvider | undefined {
    const provider = this.all.find((one) => one.name === name);
    if (!provider) return undefined;
    const known = this.#clients.get(provider);
    if (known) return known;
    const client = this.#open(provider);
    this.#clients.set(provider, client);
    return client;
  }

  #open(provider: Provider): IdentityProvider {
    const { clock, fetchTimeoutMs, home = "/dashboard/", libraries, proxy, publicUrl } = this.#deps;
    const { monotonicMs = () => performance.now(), timeoutMs = LOGIN_TIMEOUT_MS } = this.#deps;
    const bound = fetchTimeoutMs === undefined ? {} : { timeoutMs: fetchTimeoutMs };
    const fetch = boundedFetch({ ca: provider.ca, proxy, ...bound });
    const around = { fetch, libraries, monotonicMs, provider };
    const metadata = new ProviderMetadata(around);
    const redirectUri = `${publicUrl}/auth/callback/${provider.name}`;
    const returnUri = `${publicUrl}${home}`;
    return {
      provider,
      login: new ProviderLogin({ ...around, clock, metadata, redirectUri, timeoutMs }),
      logout: new ProviderLogout({ ...around, clock, metadata, returnUri }),
    };
  }
}
