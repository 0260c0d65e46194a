// Registers tokens of workloads with keys, which verifies them. Called by admissions.ts for a token that keys
// does not know: a new one, or one that is to be verified again. It must never decide anything itself.

import type { KeysService } from "@annals/proto/keys";
import type { Client } from "@connectrpc/connect";

type Keys = Pick<Client<typeof KeysService>, "registerWorkloadToken">;

export class WorkloadTokens {
  readonly #keys: Keys;
  /** By the SHA-256 of the token as base64. */
  readonly #registering = new Map<string, Promise<unknown>>();

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** One call at a time for each token, for all requests that wait. Throws what keys throws. */
  async register(digest: string, token: string): Promise<void> {
    const known = this.#registering.get(digest);
    if (known) {
      await known;
      return;
    }
    const registering = this.#keys.registerWorkloadToken({ token });
    this.#registering.set(digest, registering);
    try {
      await registering;
    } finally {
      this.#registering.delete(digest);
    }
  }
}
