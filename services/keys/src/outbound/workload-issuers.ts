// The issuers of workloads that the identity file has now, and the check of their tokens by jose. Called by
// RegisterWorkloadToken. When the file changes, an issuer gets a new client, which knows nothing of before.

import type { Clock } from "@annals/contract";
import type * as Jose from "jose";
import type { Identity, Issuer } from "../identity/rules/identity.ts";
import { CLAIM_SKEW_S } from "../sessions/rules/id-token.ts";
import type { Claims } from "../workloads/rules/workload-token.ts";
import { boundedFetch, FetchFailure } from "./bounded-fetch.ts";
import { IssuerKeys } from "./issuer-keys.ts";

interface WorkloadIssuersDeps {
  readonly clock: Clock;
  readonly identities: { readonly current: Identity };
  readonly jose: typeof Jose;
  readonly proxy: Readonly<Record<string, string | undefined>>;
  readonly monotonicMs?: () => number;
  readonly fetchTimeoutMs?: number;
}

/** Those with a public key. With any other one, who can verify a token could make one. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** Seconds that a token may be valid from now on. */
const MAX_LIFETIME_S = 86_400;

/** What a token says, or why it is not valid, or not of this issuer. */
type Verified = { readonly claims: Claims } | { readonly fault: string };

/** Verifies a token. Throws a {@link FetchFailure} if the keys of the issuer cannot be fetched. */
export type Verify = (token: string, audience: string) => Promise<Verified>;

export class WorkloadIssuers {
  readonly #deps: WorkloadIssuersDeps;
  readonly #clients = new WeakMap<Issuer, Verify>();

  constructor(deps: WorkloadIssuersDeps) {
    this.#deps = deps;
  }

  /** The file must have it now. */
  verifierOf(issuer: Issuer): Verify {
    const known = this.#clients.get(issuer);
    if (known) return known;
    const verify = this.#open(issuer);
    this.#clients.set(issuer, verify);
    return verify;
  }

  #open(issuer: Issuer): Verify {
    const { clock, fetchTimeoutMs, jose, proxy } = this.#deps;
    const { monotonicMs = () => performance.now() } = this.#deps;
    const bound = fetchTimeoutMs === undefined ? {} : { timeoutMs: fetchTimeoutMs };
    const fetch = boundedFetch({ ca: issuer.ca, proxy, ...bound });
    const keys = new IssuerKeys({ fetch, issuer, jose, monotonicMs });
    return async (token, audience) => {
      const nowS = clock.nowMicros() / 1_000_000;
      try {
        const { payload } = await jose.jwtVerify(token, keys.find, {
          algorithms: ALGORITHMS,
          audience,
          clockTolerance: CLAIM_SKEW_S,
          currentDate: new Date(nowS * 1_000),
          issuer: issuer.issuer,
          requiredClaims: ["exp", "sub"],
        });
        const isShort = Number(payload.exp) <= nowS + MAX_LIFETIME_S;
        return isShort ? { claims: payload } : { fault: "it is valid for more than 24 hours" };
      } catch (error) {
        if (error instanceof FetchFailure) throw error;
        // The messages of jose name claims and algorithms, and quote nothing of the token.
        return {
          fault: error instanceof jose.errors.JOSEError ? error.message : "its key is not valid",
        };
      }
    };
  }
}
