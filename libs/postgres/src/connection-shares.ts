// Divides the connections of a pool among accounts, so that none can take all of them. Called by pool.ts
// before it takes a connection of pg's pool, which therefore never has a queue. It must never count a
// connection whose statement is still running as free.

import { mayHaveMore, Slots } from "@annals/contract";

/** Work of the service itself, for no account or for several. */
export const NO_ACCOUNT = "";

/** An account with more statements and transactions waiting, or more bytes in them, is refused at once. */
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Bytes that wait of all accounts. One has no more of them than were free when its last one came. */
const MAX_WAITING_BYTES_IN_ALL = 64 * 1024 * 1024;

/** One in this many connections is reserved for the work of the service itself. */
const RESERVED_OF = 5;

/**
 * An account gets a connection when it then has no more than its share, half of those of accounts, and no
 * more than was free: so the last one goes to an account that had none.
 */
export class ConnectionShares extends Slots {
  readonly #total: number;

  constructor({ total, waitMs }: { readonly total: number; readonly waitMs: number }) {
    const ofAccounts = total < 3 ? total : total - Math.max(1, Math.floor(total / RESERVED_OF));
    const share = Math.max(1, Math.floor(ofAccounts / 2));
    super({
      total,
      waitMs,
      what: "connection",
      mayHave: (account, slots) => {
        if (account === NO_ACCOUNT) return true;
        const used = slots.used - slots.heldBy(NO_ACCOUNT);
        return mayHaveMore({ held: slots.heldBy(account), share, total: ofAccounts, used });
      },
      refuse: (account, bytes, slots) => {
        if (account === NO_ACCOUNT) return undefined;
        const has = slots.waitingOf(account);
        if (has.items >= MAX_WAITING)
          return new Error(`${MAX_WAITING} statements of the account wait`);
        if (has.bytes + bytes > MAX_WAITING_BYTES)
          return new Error(`statements of the account with ${has.bytes} bytes wait`);
        const all = slots.waitingBytes - slots.waitingOf(NO_ACCOUNT).bytes;
        if (has.bytes + bytes > MAX_WAITING_BYTES_IN_ALL - all)
          return new Error(`statements of all accounts with ${all} bytes wait`);
        return undefined;
      },
    });
    this.#total = total;
  }

  /** Those that wait because every connection is in use, and not for their account's share alone. */
  get pending(): number {
    return this.used < this.#total ? 0 : this.waiting;
  }
}
