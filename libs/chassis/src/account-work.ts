// Work on all accounts: a worker reads a list of what there is to do, then works on one account after the
// other. Called in the runs of a loop. If tables are distributed, a server that is away fails each list and
// the work of its own accounts. It must never keep the others from their turn.

import { BoundedLog } from "./bounded-log.ts";
import type { Logger } from "./log.ts";

interface AccountRow {
  readonly account_id: string;
}

/** Lists that are kept for when they cannot be read; the oldest are forgotten first. */
export const MAX_KEPT_LISTS = 100;
/**
 * Accounts that may fail one after the other in a run whose list could not be read: then it is not one
 * server that is away, and the run ends.
 */
export const MAX_FAILED_IN_A_ROW = 50;

type Failed = (error: unknown, accountId: string) => void;

/** What a worker keeps from run to run: the lists that it has read last. */
export class AccountWork {
  readonly #failed: Failed;
  readonly #lists = new Map<string, readonly AccountRow[]>();

  constructor(log: Pick<Logger, "info" | "warn">, worker: string) {
    const lines = new BoundedLog(log);
    this.#failed = (err, accountId) =>
      lines.write(
        "warn",
        { err, worker, account_id: accountId },
        "background work failed for an account",
      );
  }

  begin(signal?: AbortSignal): AccountRun {
    return new AccountRun({ lists: this.#lists, failed: this.#failed, signal });
  }
}

interface AccountRunParts {
  readonly lists: Map<string, readonly AccountRow[]>;
  readonly failed: Failed;
  readonly signal: AbortSignal | undefined;
}

/** One run. Call {@link end} after the last account. */
export class AccountRun {
  /** If it is aborted, no further account is begun. */
  readonly signal: AbortSignal | undefined;
  readonly #lists: Map<string, readonly AccountRow[]>;
  readonly #failed: Failed;
  readonly #failures: unknown[] = [];
  #hasOldList = false;

  constructor({ lists = new Map(), failed = () => {}, signal }: Partial<AccountRunParts> = {}) {
    this.#lists = lists;
    this.#failed = failed;
    this.signal = signal;
  }

  /** Whether a list of this run is an earlier one: what its rows say may have changed. */
  get hasOldList(): boolean {
    return this.#hasOldList;
  }

  /**
   * Reads a list, or a page of one. If that fails, it resolves to the last one that was read under the key,
   * and without such a list it rejects.
   */
  async list<Row extends AccountRow>(
    key: string,
    read: () => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    try {
      const rows = await read();
      this.#lists.delete(key);
      this.#lists.set(key, rows);
      const [oldest] = this.#lists.size > MAX_KEPT_LISTS ? this.#lists.keys() : [];
      if (oldest !== undefined) this.#lists.delete(oldest);
      return rows;
    } catch (error) {
      const kept = this.#lists.get(key) as readonly Row[] | undefined;
      if (!kept || this.signal?.aborted) throw error;
      this.#failures.push(error);
      this.#hasOldList = true;
      return kept;
    }
  }

  /**
   * Works on one row after the other, until the signal is aborted. A failure is logged, and does not stop the
   * others.
   */
  async each<Row extends AccountRow>(
    rows: readonly Row[],
    work: (row: Row) => Promise<unknown>,
  ): Promise<void> {
    let inARow = 0;
    for (const row of rows) {
      if (this.signal?.aborted) return;
      try {
        await work(row);
        inARow = 0;
      } catch (error) {
        if (this.signal?.aborted) return;
        this.#failures.push(error);
        this.#failed(error, row.account_id);
        inARow += 1;
        if (this.#hasOldList && inARow >= MAX_FAILED_IN_A_ROW) throw error;
      }
    }
  }

  /** Throws the first failure of the run, if there was one. */
  end(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
