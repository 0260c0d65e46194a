// Bounds what requests without a valid key cost. Called by admissions.ts for well-formed keys, before it asks
// the keys service. Each client address has a budget of such requests. Beyond it only keys that were admitted
// lately are looked up, so that a client cannot lock out the others behind the same proxy. It must never
// admit a request: it only refuses.

import { AnnalsError } from "@annals/errors";
import type { RequestBudget } from "./request-budget.ts";

/** Keys that are remembered; the oldest is forgotten first. */
const MAX_KEYS = 20_000;

interface Known {
  readonly accountId: string;
  readonly keyId: string;
}

export interface UnauthenticatedOptions {
  readonly budget: Pick<RequestBudget, "isOver">;
  readonly onRefused: () => void;
}

export class Unauthenticated {
  readonly #options: UnauthenticatedOptions;
  /** By the SHA-256 of a key as base64, which is all that the methods take of it. */
  readonly #admitted = new Map<string, Known>();
  readonly #admittedIds = new Set<string>();

  constructor(options: UnauthenticatedOptions) {
    this.#options = options;
  }

  /** Throws `rate_limited` (429) if `address` has used up its budget and the key was not admitted lately. */
  check(address: string, digest: string): void {
    if (!this.#options.budget.isOver(address) || this.#admitted.has(digest)) return;
    this.#options.onRefused();
    const message = "Too many requests without a valid key came from this address. Try again.";
    throw new AnnalsError("rate_limited", message, { retryAfterS: 1 });
  }

  /** The account of a key that was admitted lately: whose request it is likely to be, and no proof of it. */
  accountOf(digest: string): string | undefined {
    return this.#admitted.get(digest)?.accountId;
  }

  /** Remembers an admitted key by its id, and a token of a person or a workload by its digest. */
  admitted(
    digest: string,
    { accountId, holder, keyId }: Known & { readonly holder?: number },
  ): void {
    const id = holder ? digest : keyId;
    if (this.#admittedIds.has(id)) return;
    this.#admittedIds.add(id);
    this.#admitted.set(digest, { accountId, keyId: id });
    const [oldest] = this.#admitted.keys();
    if (this.#admitted.size > MAX_KEYS && oldest !== undefined) this.#forget(oldest);
  }

  /** The key is unknown, or was revoked. */
  unknown(digest: string): void {
    this.#forget(digest);
  }

  #forget(known: string): void {
    this.#admittedIds.delete(this.#admitted.get(known)?.keyId ?? "");
    this.#admitted.delete(known);
  }
}
