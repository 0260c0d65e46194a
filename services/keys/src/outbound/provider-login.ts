// A login at one identity provider, by openid-client: where the browser goes, and whom the response names.
// Called by BeginLogin and FinishLogin.

import type { Clock } from "@annals/contract";
import type * as OpenIdClient from "openid-client";
import {
  checkTimes,
  type Claims,
  groupsOf,
  ISSUED_SKEW_S,
  sessionIdOf,
  shownClaim,
  subjectOf,
} from "../sessions/rules/id-token.ts";
import { challengeOf, type LoginAttempt } from "../sessions/rules/login-attempt.ts";
import { loginFailure, mayHaveNewKeys } from "./provider-failure.ts";
import type { MetadataDeps, ProviderMetadata } from "./provider-metadata.ts";

/** Whom a login names. */
export interface LoggedIn {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly groups: readonly string[];
  /** The name of the session at the provider. */
  readonly sid: string | undefined;
  readonly idToken: string;
}

export interface LoginDeps extends MetadataDeps {
  readonly clock: Clock;
  readonly metadata: ProviderMetadata;
  /** The only URI that the provider may send browsers back to. */
  readonly redirectUri: string;
  /** Time of all requests of one login. */
  readonly timeoutMs: number;
}

/** Signs ID tokens unless a client asks for another one (OpenID Connect Core, 15.1). */
export const ID_TOKEN_ALGORITHM = "RS256";
/** Keys that do not verify a token are fetched again at most this often. */
const NEW_KEYS_MS = 10_000;

type Metadata = OpenIdClient.ServerMetadata;
type Configuration = OpenIdClient.Configuration;

export class ProviderLogin {
  readonly #deps: LoginDeps;
  #keys: OpenIdClient.ExportedJWKSCache | undefined;
  #forgottenAt = -Infinity;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  /** The URL at which a browser begins to log in. Throws {@link LoginFailure}. */
  async authorizationUrl(attempt: LoginAttempt): Promise<string> {
    const { libraries, provider, redirectUri } = this.#deps;
    return this.#translated(async (deadline) => {
      const configuration = await this.#configure(deadline);
      return libraries.client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: provider.scopes.join(" "),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: challengeOf(attempt),
        code_challenge_method: "S256",
      }).href;
    });
  }

  /** Checks what the provider sent back with the browser. Throws {@link LoginFailure}. */
  async finish(attempt: LoginAttempt, query: string): Promise<LoggedIn> {
    const { clock, libraries, redirectUri } = this.#deps;
    const { client } = libraries;
    return this.#translated(async (deadline) => {
      const configuration = await this.#configure(deadline);
      // The configured URI, whatever the request had: the library sends it to the provider.
      const callback = new URL(redirectUri);
      callback.search = query;
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        expectedNonce: attempt.nonce,
        expectedState: attempt.state,
        idTokenExpected: true,
        pkceCodeVerifier: attempt.verifier,
      });
      this.#keys = client.getJwksCache(configuration);
      const claims: Claims = { ...tokens.claims() };
      checkTimes(claims, clock.nowMicros() / 1_000_000);
      return this.#personOf(claims, tokens, configuration);
    });
  }

  async #personOf(
    claims: Claims,
    tokens: OpenIdClient.TokenEndpointResponse,
    configuration: Configuration,
  ): Promise<LoggedIn> {
    const { libraries, provider } = this.#deps;
    const subject = subjectOf(claims);
    let groups = groupsOf(claims, provider.groupsClaim);
    let shown = claims;
    if (!groups && configuration.serverMetadata().userinfo_endpoint !== undefined) {
      const { access_token: accessToken } = tokens;
      const info = await libraries.client.fetchUserInfo(configuration, accessToken, subject);
      groups = groupsOf({ ...info }, provider.groupsClaim);
      shown = { ...info, ...claims };
    }
    return {
      issuer: provider.issuer,
      subject,
      name: shownClaim(shown["name"]) ?? shownClaim(shown["preferred_username"]),
      email: shownClaim(shown["email"]),
      groups: groups ?? [],
      sid: sessionIdOf(claims),
      idToken: tokens.id_token ?? "",
    };
  }

  async #translated<T>(work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = AbortSignal.timeout(this.#deps.timeoutMs);
    try {
      return await work(deadline);
    } catch (error) {
      const failure = loginFailure(error);
      if (mayHaveNewKeys(failure)) this.#forget();
      throw failure;
    }
  }

  /** After this the next login fetches metadata and keys again. */
  #forget(): void {
    const { metadata, monotonicMs } = this.#deps;
    if (monotonicMs() - this.#forgottenAt < NEW_KEYS_MS) return;
    this.#forgottenAt = monotonicMs();
    metadata.forget();
    this.#keys = undefined;
  }

  /** The library's configuration of one login, whose requests end at its deadline. */
  async #configure(deadline: AbortSignal): Promise<Configuration> {
    const { fetch, libraries, metadata, provider } = this.#deps;
    const { client } = libraries;
    const found = await metadata.get();
    const configuration = new client.Configuration(
      found,
      provider.clientId,
      {
        client_secret: provider.clientSecret,
        id_token_signed_response_alg: ID_TOKEN_ALGORITHM,
        // The times of a token are checked with our clock, and more strictly.
        [client.clockTolerance]: ISSUED_SKEW_S,
      },
      authenticationOf(found, client),
    );
    configuration[client.customFetch] = (url, { signal, ...init }) =>
      fetch(url, { ...init, signal: AbortSignal.any([deadline, ...(signal ? [signal] : [])]) });
    if (metadata.isPlain) client.allowInsecureRequests(configuration);
    // Without it the library takes ID tokens from the token endpoint unsigned, or signed by anyone.
    client.enableNonRepudiationChecks(configuration);
    if (this.#keys) client.setJwksCache(configuration, this.#keys);
    return configuration;
  }
}

/** HTTP Basic, which every provider has to know, unless it says that it takes only the other one. */
function authenticationOf(
  metadata: Metadata,
  client: typeof OpenIdClient,
): OpenIdClient.ClientAuth {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isPost = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
  return isPost ? client.ClientSecretPost() : client.ClientSecretBasic();
}
