// Makes replays take turns: one at a time per account, and a few in all. Called by the handlers of replays. A
// request that waits too long is refused, and may be retried.

import { AnnalsError } from "@annals/errors";
import { FairSlots, type FairSlotsOptions } from "../outbound/fair-slots.ts";

const SLOTS: FairSlotsOptions = { total: 4, perAccount: 1 };
const WAIT_MS = 2_000;
const RETRY_AFTER_S = 1;

export class ReplayTurns {
  readonly #slots = new FairSlots(SLOTS);
  readonly #waitMs: number;

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** Runs a replay in its turn. Rejects with `rate_limited` if the account's other replays take too long. */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const free = await this.#slots.take(accountId, this.#waitMs, refusal);
    try {
      return await work();
    } finally {
      free();
    }
  }
}

function refusal(): AnnalsError {
  const message = "This account has replays in progress. Try again.";
  return new AnnalsError("rate_limited", message, { retryAfterS: RETRY_AFTER_S });
}
