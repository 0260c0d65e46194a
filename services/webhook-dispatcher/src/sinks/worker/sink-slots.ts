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
const OF_ACCOUNTS = { total: 32, perAccount: 4 };
const OF_ACCOUNTS_TO_BUCKETS = { total: 8, perAccount: 1 };
const OF_OPERATOR = { total: 16, perAccount: 8 };
const OF_OPERATOR_TO_BUCKETS = { total: 4, perAccount: 2 };
/** How many turns of a sink of the operator wait at a time: it has a row for each account. */
const MAX_WAITING = 100;

export class SinkSlots {
  readonly #ofAccounts = new Slots(OF_ACCOUNTS);
  readonly #ofAccountsToBuckets = new Slots(OF_ACCOUNTS_TO_BUCKETS);
  readonly #ofOperator = new Slots(OF_OPERATOR);
  readonly #ofOperatorToBuckets = new Slots(OF_OPERATOR_TO_BUCKETS);
  /** The accounts with which this round and the next one begin, by the names of the operator's sinks. */
  #from = new Map<string, string>();
  #next = new Map<string, string>();

  /** Call it before a round, which asks for turns in the order of the accounts. */
  beginRound(): void {
    this.#from = this.#next;
    this.#next = new Map();
  }

  /** Whether the turn may wait. The next round begins with the first account that may not. */
  mayWait({ accountId, isBucket, operator }: SinkTurn): boolean {
    if (operator === null) return true;
    if (this.#next.has(operator) || accountId < (this.#from.get(operator) ?? "")) return false;
    if (this.#slotsOfOperator(isBucket).waitingOf(operator).items < MAX_WAITING) return true;
    this.#next.set(operator, accountId);
    return false;
  }

  /** Waits for a slot, and resolves to what the turn resolves to. */
  run<T>(of: SinkTurn, turn: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { accountId, isBucket, operator } = of;
    if (operator !== null) return this.#slotsOfOperator(isBucket).run(operator, turn, signal);
    const slots = isBucket ? this.#ofAccountsToBuckets : this.#ofAccounts;
    return slots.run(accountId, turn, signal);
  }

  #slotsOfOperator(isBucket: boolean): Slots {
    return isBucket ? this.#ofOperatorToBuckets : this.#ofOperator;
  }
}
