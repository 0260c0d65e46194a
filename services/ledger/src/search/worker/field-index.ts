// Puts older events into the index of declared fields, and takes deleted fields out of it, account by
// account, for as long as the process runs. Any number of replicas may do it at the same time. Nothing waits
// for it: what is not indexed yet is only slower to search.

import { AccountWork, type Logger, REST_MS } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { type FieldWorkRow, findFieldWork } from "../store/find-field-work.ts";
import { forgetField, indexField } from "../store/index-field.ts";

/** Time from the end of a run to the beginning of the next while there is more to do. */
export const DELAY_MS = 1_000;

/** Accounts of one run. The next run continues after them, and starts over after the last account. */
const ACCOUNTS = 100;

/** Statements of one account before the next account has its turn. Each makes a segment of 4,096 events. */
const TURN = 8;

export interface FieldIndexDeps {
  readonly database: Database;
  readonly log: Logger;
  /** Called after the last account with the number of events that the index lacks, of all fields together. */
  readonly lag: (events: number) => void;
}

export class FieldIndex {
  readonly #deps: FieldIndexDeps;
  readonly #work: AccountWork;
  #after = "";
  #lag = 0;

  constructor(deps: FieldIndexDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "field_index");
  }

  /** Makes one run. Resolves to the delay before the next. */
  async run(signal: AbortSignal): Promise<number> {
    const { database, lag } = this.#deps;
    const run = this.#work.begin(signal);
    const after = this.#after;
    const accounts = await run.list(after, () => database.run(findFieldWork, [after, ACCOUNTS]));
    let isMore = false;
    await run.each(accounts, async (account) => {
      this.#lag += Number(account.lag);
      isMore = (await this.#giveTurn(account, signal)) || isMore;
    });
    if (signal.aborted) return 0;
    this.#after = (accounts.length === ACCOUNTS && accounts.at(-1)?.account_id) || "";
    if (this.#after === "") {
      lag(this.#lag);
      this.#lag = 0;
    }
    run.end();
    if (isMore) return 0;
    return this.#after === "" ? REST_MS : DELAY_MS;
  }

  /** Resolves to whether something is left. */
  async #giveTurn(
    { account_id: accountId, building, deleted }: FieldWorkRow,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { database } = this.#deps;
    const steps = [
      ...(deleted ?? []).map((field) => ({ field, statement: forgetField })),
      ...(building ?? []).map((field) => ({ field, statement: indexField })),
    ];
    let left = TURN;
    for (const { field, statement } of steps) {
      for (let isMore = true; isMore;) {
        if (left === 0 || signal.aborted) return true;
        left -= 1;
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const [row] = await database.run(statement, [accountId, field]);
        isMore = row?.is_more === true;
      }
    }
    return false;
  }
}
