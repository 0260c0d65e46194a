// The turns of sinks that a process gives at a time. An account's sinks share those of all accounts, and a
// sink of the operator has turns of its own for all the accounts that it is for. Called by sinks.ts. A
// receiver that hangs must never take the turns of another account's sinks.

import { Slots } from "@annals/contract";

export interface SinkTurn {
  readonly accountId: string;
  /** The batches of buckets are far larger. */
  readonly isBucket: boolean;
  /** The name of the operator's sink; null: a sink of the account. */
  readonly operator: string | null;
}

/** How many turns there are, and of them for one account, or one sink of the operator. */
const OF_ACCOUNTS = { total: 32, each: 4 };
const OF_ACCOUNTS_TO_BUCKETS = { total: 8, each: 1 };
const OF_OPERATOR = { total: 16, each: 8 };
const OF_OPERATOR_TO_BUCKETS = { total: 4, each: 2 };

export class SinkSlots {
  readonly #ofAccounts = slotsOf(OF_ACCOUNTS);
  readonly #ofAccountsToBuckets = slotsOf(OF_ACCOUNTS_TO_BUCKETS);
  readonly #ofOperator = slotsOf(OF_OPERATOR);
  readonly #ofOperatorToBuckets = slotsOf(OF_OPERATOR_TO_BUCKETS);

  /** Waits for a slot, and resolves to what the turn resolves to. */
  run<T>(of: SinkTurn, turn: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { accountId, isBucket, operator } = of;
    if (operator === null) {
      const slots = isBucket ? this.#ofAccountsToBuckets : this.#ofAccounts;
      return slots.run(accountId, turn, signal);
    }
    const slots = isBucket ? this.#ofOperatorToBuckets : this.#ofOperator;
    return slots.run(operator, turn, signal);
  }
}

function slotsOf({ each, total }: { readonly each: number; readonly total: number }): Slots {
  return new Slots({ total, mayHave: (key, slots) => slots.heldBy(key) < each });
}
