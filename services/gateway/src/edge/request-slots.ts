// Gives requests their slots. Used by requests-in-flight.ts. Requests without a key, those whose key is not
// admitted yet, and those of accounts have slots of their own: no flood of the first two refuses an account.

import type { IncomingMessage } from "node:http";
import type { Resources } from "./resources.ts";

/** A slot: what it was taken from, and by whom. */
export interface Slot {
  readonly of: "requests" | "unadmitted" | "anonymous";
  readonly holder: string;
}

interface Holding {
  slot: Slot | undefined;
}

export class RequestSlots {
  readonly #resources: Resources;
  readonly #recognise: (request: IncomingMessage) => string | undefined;

  /** `recognise` names the account whose key the request has, if the key was admitted lately. */
  constructor(resources: Resources, recognise: (request: IncomingMessage) => string | undefined) {
    this.#resources = resources;
    this.#recognise = recognise;
  }

  /**
   * For a request that has arrived. If keys that are not admitted yet have taken all that their address
   * may have, a key that was admitted lately gets a slot of its account at once. So it does if accounts have
   * a quarter of their slots: if none is left for it, the work of its admission would be in vain. Throws
   * `rate_limited` or `unavailable`.
   */
  take(request: IncomingMessage, address: string): Slot {
    const { anonymous, requests, unadmitted } = this.#resources.shares;
    if (request.headers.authorization === undefined) {
      this.#resources.check("anonymous", anonymous.tryAcquire(address));
      return { of: "anonymous", holder: address };
    }
    const known = requests.isBusy ? this.#recognise(request) : undefined;
    if (known !== undefined) {
      const refusal = requests.tryAcquire(known);
      if (refusal === undefined) return { of: "requests", holder: known };
      // Beyond its share it goes on: a refusal after the admission can be delayed.
      if (refusal === "total") throw this.#resources.refused("requests", refusal);
    }
    const refusal = unadmitted.tryAcquire(address);
    if (refusal === undefined) return { of: "unadmitted", holder: address };
    const accountId = known ?? this.#recognise(request);
    if (accountId === undefined) throw this.#resources.refused("unadmitted", refusal);
    this.#resources.check("requests", requests.tryAcquire(accountId));
    return { of: "requests", holder: accountId };
  }

  /**
   * Moves an admitted request to a slot of its account. Throws `rate_limited` or `unavailable` if none is
   * free: the request then has no slot at all.
   */
  moveTo(holding: Holding, accountId: string): void {
    if (holding.slot === undefined || holding.slot.of === "requests") return;
    this.release(holding);
    const { requests } = this.#resources.shares;
    this.#resources.check("requests", requests.tryAcquire(accountId));
    holding.slot = { of: "requests", holder: accountId };
  }

  release(holding: Holding): void {
    const { slot } = holding;
    if (slot === undefined) return;
    holding.slot = undefined;
    this.#resources.shares[slot.of].release(slot.holder);
  }
}
