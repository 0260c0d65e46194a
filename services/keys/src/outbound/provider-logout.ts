// Logouts at one identity provider: the page where a browser ends its session there, and the logout tokens
// with which the provider ends sessions here, by jose. Called by EndSession and EndProviderSessions.

import type { Clock } from "@annals/contract";
import { AnnalsError, invalid, unavailable } from "@annals/errors";
import type * as Jose from "jose";
import { urlFault } from "../identity/rules/provider-url.ts";
import { CLAIM_SKEW_S, ISSUED_SKEW_S } from "../sessions/rules/id-token.ts";
import { LoginFailure } from "../sessions/rules/login-failure.ts";
import { type Logout, logoutOf } from "../sessions/rules/logout-token.ts";
import { FetchFailure } from "./bounded-fetch.ts";
import { ID_TOKEN_ALGORITHM } from "./provider-login.ts";
import type { MetadataDeps, ProviderMetadata } from "./provider-metadata.ts";

interface LogoutDeps extends MetadataDeps {
  readonly clock: Clock;
  readonly metadata: ProviderMetadata;
  /** The page that the provider sends browsers back to after a logout. */
  readonly returnUri: string;
}

/** Keys that do not verify a token are fetched again at most this often. */
const NEW_KEYS_MS = 10_000;

/** What jose throws if it has no keys: their server sent something else, or nothing in time. */
const WITHOUT_KEYS: ReadonlySet<unknown> = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT"]);

export class ProviderLogout {
  readonly #deps: LogoutDeps;
  #keys: { readonly uri: string; readonly set: Jose.RemoteJWKSet } | undefined;

  constructor(deps: LogoutDeps) {
    this.#deps = deps;
  }

  /** Undefined: the provider has no such page, or does not respond. */
  async url(idToken: string): Promise<string | undefined> {
    const { metadata, provider, returnUri } = this.#deps;
    const found = await metadata.get().catch(() => undefined);
    const { end_session_endpoint: endpoint } = found ?? {};
    if (endpoint === undefined || urlFault(endpoint) !== undefined) return undefined;
    const url = new URL(endpoint);
    url.searchParams.set("client_id", provider.clientId);
    url.searchParams.set("id_token_hint", idToken);
    url.searchParams.set("post_logout_redirect_uri", returnUri);
    return url.href;
  }

  /** Throws `invalid` for a token that is not valid, `unavailable` if the keys cannot be fetched. */
  async verify(token: string): Promise<Logout> {
    const { clock, libraries, provider } = this.#deps;
    try {
      const { payload } = await libraries.jose.jwtVerify(token, await this.#verificationKeys(), {
        algorithms: [ID_TOKEN_ALGORITHM],
        audience: provider.clientId,
        clockTolerance: CLAIM_SKEW_S,
        currentDate: new Date(clock.nowMicros() / 1_000),
        issuer: provider.issuer,
        maxTokenAge: ISSUED_SKEW_S,
      });
      return logoutOf(payload);
    } catch (error) {
      if (isAboutProvider(error))
        throw unavailable("The identity provider did not respond. Try again.", error);
      if (error instanceof AnnalsError) throw error;
      throw invalid({ field: "logout_token", message: "is not valid" });
    }
  }

  async #verificationKeys(): Promise<Jose.RemoteJWKSet> {
    const { fetch, libraries, metadata } = this.#deps;
    const { jwks_uri: uri = "" } = await metadata.get();
    if (this.#keys?.uri !== uri) {
      const set = libraries.jose.createRemoteJWKSet(new URL(uri), {
        cooldownDuration: NEW_KEYS_MS,
        [libraries.jose.customFetch]: fetch,
      });
      this.#keys = { uri, set };
    }
    return this.#keys.set;
  }
}

/** Whether the provider did not respond, so that the token may be valid. */
function isAboutProvider(error: unknown): boolean {
  if (error instanceof FetchFailure || error instanceof LoginFailure) return true;
  return error instanceof Error && "code" in error && WITHOUT_KEYS.has(error.code);
}
