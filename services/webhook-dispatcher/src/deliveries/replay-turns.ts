// Makes replays take turns: one at a time per account, and a few in all. Called by the handlers of replays. A
// request that waits too long is refused, and may be retried.

import { Slots } from "@annals/contract";
import { AnnalsError } from "@annals/errors";

const SLOTS = { total: 4, perAccount: 1 };
const WAIT_MS = 2_000;
const RETRY_AFTER_S = 1;

export class ReplayTurns {
  readonly #slots = new Slots(SLOTS);
  readonly #waitMs: number;

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** Runs a replay in its turn. Rejects with `rate_limited` if the account's other replays take too long. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#slots.runWithin(accountId, this.#waitMs, refusal, work);
  }
}

function refusal(): AnnalsError {
  const message = "This account has replays in progress. Try again.";
  return new AnnalsError("rate_limited", message, { retryAfterS: RETRY_AFTER_S });
}
