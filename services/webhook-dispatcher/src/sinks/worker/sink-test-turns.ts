// Gives the tests of sinks their turns: those that the account's sinks take, and one at a time for an
// account in this process (store/sink-tests.ts: in all of them). Called by sinks.ts. A test that waits too
// long is refused: its client waits, too.

import { Slots } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { SinkSlots, SinkTurn } from "./sink-slots.ts";

const SLOTS = { total: 32, perAccount: 1 };
/** For the other test of the account, and then for a turn of its sinks. */
const WAIT_MS = 5_000;
const RETRY_AFTER_S = 5;

export class SinkTestTurns {
  readonly #tests = new Slots(SLOTS);
  readonly #turns: SinkSlots;
  readonly #waitMs: number;

  constructor(turns: SinkSlots, waitMs = WAIT_MS) {
    this.#turns = turns;
    this.#waitMs = waitMs;
  }

  /**
   * Runs a test in its turn. Rejects with `rate_limited` if other tests or sinks of the account take too
   * long.
   */
  run<T>(of: SinkTurn, test: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const late = () => testRefusal("a test");
    return this.#tests.runWithin(of.accountId, this.#waitMs, late, () =>
      this.#inTurn(of, test, signal),
    );
  }

  async #inTurn<T>(of: SinkTurn, test: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(testRefusal("batches")), this.#waitMs);
    const begin = (): Promise<T> => {
      clearTimeout(timer);
      return test();
    };
    try {
      return await this.#turns.run(of, begin, AbortSignal.any([signal, late.signal]));
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What a test gets that has to wait for too long for another one, or for batches. */
export function testRefusal(what: string): AnnalsError {
  const message = `This account's sinks have ${what} in progress. Try again.`;
  return new AnnalsError("rate_limited", message, { retryAfterS: RETRY_AFTER_S });
}
