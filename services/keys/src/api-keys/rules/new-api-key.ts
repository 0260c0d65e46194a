// The rule of a new key: what is stored, what is shown, and the secret that is shown once.

import { type Clock, keyHash, keyPrefix, mintKey, newId, orderedScopes } from "@annals/contract";
import { invalid } from "@annals/errors";
import { allowedIpsOf, expiryOf } from "./key-restrictions.ts";

export interface NewApiKey {
  readonly id: string;
  readonly name: string;
  readonly keyPrefix: string;
  readonly secret: string;
  readonly secretSha256: Uint8Array;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  /** Whether the secret was made here: an operator cannot give it again. */
  readonly isMinted: boolean;
  readonly expiresAt: string | null;
  readonly allowedIps: readonly string[] | null;
}

export interface KeyMaker {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  /** The part before `_sk_`. */
  readonly prefix: string;
}

/** A key as it is asked for: with restrictions only if they are given. */
export interface AskedKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly secret?: string;
  readonly expiresAt?: string | undefined;
  readonly allowedIps?: readonly string[] | undefined;
}

/**
 * Makes a key that holds `scopes` (at least one, all known; each is kept once, in the order of
 * interface 5). A `secret` that an operator provides is used as it is; otherwise one is minted. Throws
 * `invalid`.
 */
export function newApiKey(maker: KeyMaker, asked: AskedKey): NewApiKey {
  const scopes = orderedScopes(asked.scopes);
  if (scopes.length === 0 || scopes.length !== new Set(asked.scopes).size) {
    throw invalid({ field: "scopes", message: "must contain at least one known scope" });
  }
  const secret = asked.secret ?? mintKey(maker.prefix, maker.random);
  return {
    id: newId("key", maker.random),
    name: asked.name,
    keyPrefix: keyPrefix(secret),
    secret,
    secretSha256: keyHash(secret),
    scopes,
    createdAt: maker.clock.nowText(),
    isMinted: asked.secret === undefined,
    expiresAt: asked.expiresAt === undefined ? null : expiryOf(maker.clock, asked.expiresAt),
    allowedIps: asked.allowedIps === undefined ? null : allowedIpsOf(asked.allowedIps),
  };
}
