// The public keys of one issuer of workloads: fetched when a token needs them, and kept for ten minutes.
// Called by workload-issuer.ts. A token with a key that is not known must not have them fetched each time.

import type * as Jose from "jose";
import { readFile } from "node:fs/promises";
import type { Issuer } from "../identity/rules/identity.ts";
import { urlFault } from "../identity/rules/provider-url.ts";
import { type BoundedFetch, FetchFailure } from "./bounded-fetch.ts";

interface Deps {
  readonly fetch: BoundedFetch;
  readonly issuer: Issuer;
  readonly jose: Pick<typeof Jose, "createLocalJWKSet" | "errors">;
  /** Milliseconds that nothing steps. */
  readonly monotonicMs: () => number;
}

type KeySet = ReturnType<typeof Jose.createLocalJWKSet>;

const KEPT_MS = 600_000;
/** Keys that are known are used for so long while they cannot be fetched again. */
const STALE_MS = 3_600_000;
/** The least time between two fetches. */
const COOLDOWN_MS = 30_000;
const HTTP_OK = 200;
const DISCOVERY = "/.well-known/openid-configuration";
/** An API server of Kubernetes has its keys as the second type alone, and answers 406 without it. */
const ACCEPT = "application/json, application/jwk-set+json";

export class IssuerKeys {
  readonly #deps: Deps;
  #known: { readonly keys: KeySet; readonly fetchedAt: number } | undefined;
  #askedAt = -Infinity;
  /** Why the last fetch failed; empty if none has. */
  #failure = "";
  #fetching: Promise<KeySet> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The key of a token, as jose asks for it. Throws a {@link FetchFailure}, or what jose throws. */
  readonly find = async (
    header: Jose.JWSHeaderParameters,
    token: Jose.FlattenedJWSInput,
  ): Promise<Jose.CryptoKey> => {
    const { jose, monotonicMs } = this.#deps;
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      // A key that is not known may be a new one.
      const isNew = error instanceof jose.errors.JWKSNoMatchingKey;
      if (!isNew || monotonicMs() - this.#askedAt < COOLDOWN_MS) throw error;
      return (await this.#fetch())(header, token);
    }
  };

  async #current(): Promise<KeySet> {
    const now = this.#deps.monotonicMs();
    const known = this.#known;
    const ageMs = known ? now - known.fetchedAt : Infinity;
    if (known && ageMs < KEPT_MS) return known.keys;
    const isUsable = known !== undefined && ageMs < STALE_MS;
    if (now - this.#askedAt < COOLDOWN_MS && !this.#fetching) {
      if (isUsable) return known.keys;
      throw new FetchFailure(`keys are not fetched again for 30 s: ${this.#failure}`);
    }
    try {
      return await this.#fetch();
    } catch (error) {
      if (isUsable) return known.keys;
      throw error;
    }
  }

  /** One fetch at a time, for all who wait. */
  #fetch(): Promise<KeySet> {
    this.#fetching ??= this.#fetchNow()
      .catch((error: unknown) => {
        this.#failure = error instanceof Error ? error.message : "failed";
        throw error;
      })
      .finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #fetchNow(): Promise<KeySet> {
    const { issuer, jose, monotonicMs } = this.#deps;
    this.#askedAt = monotonicMs();
    const uri = issuer.jwksUri ?? (await this.#discover());
    const document = await this.#get(uri);
    const keys = keySetOf(document, jose);
    this.#known = { keys, fetchedAt: monotonicMs() };
    return keys;
  }

  async #discover(): Promise<string> {
    const { issuer } = this.#deps;
    const document = await this.#get(`${issuer.issuer.replace(/\/$/, "")}${DISCOVERY}`);
    const { issuer: named, jwks_uri: uri } = { ...document };
    if (named !== issuer.issuer)
      throw new FetchFailure("the discovery document is of another issuer");
    if (typeof uri !== "string" || urlFault(uri) !== undefined)
      throw new FetchFailure("the discovery document has no jwks_uri that may be used");
    return uri;
  }

  async #get(url: string): Promise<Readonly<Record<string, unknown>>> {
    const { fetch, issuer } = this.#deps;
    const headers: Record<string, string> = { accept: ACCEPT };
    // A document must not name where the operator's token goes.
    if (
      issuer.tokenFile !== undefined &&
      originOf(url) === originOf(issuer.jwksUri ?? issuer.issuer)
    )
      headers["authorization"] = `Bearer ${await readToken(issuer.tokenFile)}`;
    const response = await fetch(url, { headers });
    if (response.status !== HTTP_OK)
      throw new FetchFailure(`GET ${new URL(url).href}: its status is ${response.status}`);
    const document: unknown = await response.json().catch(() => undefined);
    if (typeof document !== "object" || document === null)
      throw new FetchFailure(`GET ${new URL(url).href}: it is not a JSON object`);
    return { ...document };
  }
}

function keySetOf(document: object, jose: Pick<typeof Jose, "createLocalJWKSet">): KeySet {
  try {
    return jose.createLocalJWKSet(document as Jose.JSONWebKeySet);
  } catch (cause) {
    throw new FetchFailure("the keys of the issuer are not a JSON Web Key Set", { cause });
  }
}

const originOf = (url: string): string => new URL(url).origin;

/** Read for each fetch: Kubernetes replaces it. */
async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new FetchFailure("the token_file of the issuer cannot be read", { cause });
  }
}
