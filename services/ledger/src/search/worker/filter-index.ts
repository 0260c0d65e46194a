// Keeps the filter index of all chains up to date with their heads, away from the append path, for as long as
// the process runs. Any number of replicas may do it at the same time. Nothing waits for it: events that are
// not indexed yet are only slower to search.

import { AccountWork, type Logger, REST_MS } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { GrownChains } from "../../append/grown-chains.ts";
import { CHUNK_SIZE } from "../rules/chunk.ts";
import { findIndexWork, type IndexWorkRow } from "../store/find-index-work.ts";
import { getSearchEnds } from "../../store/get-search-ends.ts";
import { indexSegment, sealSegment } from "../store/index-segment.ts";
import { SEALED_SIZE } from "../rules/segment.ts";

/** Time from the end of a run to the beginning of the next while there are more chains to look at. */
export const DELAY_MS = 1_000;

/** Accounts of one run. The next run continues after them, and starts over after the last account. */
const ACCOUNTS = 1_000;

/**
 * Fresh segments of one account before the next account has its turn: half a second of PostgreSQL. A turn
 * seals at most one segment, for which as many as two turns make the fresh ones.
 */
const TURN_SEGMENTS = 8;

export interface FilterIndexDeps {
  readonly database: Database;
  readonly grown: Pick<GrownChains, "takeFull">;
  readonly log: Logger;
  /** Called after the last account with the number of events in complete chunks that the index lacks. */
  readonly lag: (events: number) => void;
}

type IndexEnds = Omit<IndexWorkRow, "accounts">;

export class FilterIndex {
  readonly #deps: FilterIndexDeps;
  readonly #work: AccountWork;
  #after = "";
  #lacking = 0;

  constructor(deps: FilterIndexDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "filter_index");
  }

  /**
   * Makes one run, for a loop that is woken when a chunk is full. Resolves to the delay before the next. An
   * account whose chunk cannot be indexed does not keep others from their turn.
   */
  async run(signal: AbortSignal): Promise<number> {
    const { database, grown, lag } = this.#deps;
    const run = this.#work.begin(signal);
    let most = 0;
    const giveTurn = async (account: IndexEnds): Promise<number> => {
      const indexed = await this.#giveTurn(account, signal);
      most = Math.max(most, indexed);
      return indexed;
    };
    const full = grown.takeFull(ACCOUNTS).map((accountId) => ({ account_id: accountId }));
    await run.each(full, async (one) => giveTurn(await this.#endsOf(one.account_id)));
    const after = this.#after;
    const accounts = await run.list(after, () => database.run(findIndexWork, [after, ACCOUNTS]));
    let lacking = 0;
    await run.each(accounts, async (listed) => {
      const account = run.hasOldList ? await this.#endsOf(listed.account_id) : listed;
      lacking += lackingOf(account);
      lacking -= await giveTurn(account);
    });
    if (signal.aborted) return 0;
    this.#lacking += lacking;
    const last = accounts.at(-1);
    this.#after = last?.accounts === ACCOUNTS ? last.account_id : "";
    if (this.#after === "") {
      lag(this.#lacking * CHUNK_SIZE);
      this.#lacking = 0;
    }
    run.end();
    if (most === TURN_SEGMENTS) return 0;
    return most > 0 || this.#after !== "" ? DELAY_MS : REST_MS;
  }

  /** What the database says of the account now. */
  async #endsOf(accountId: string): Promise<IndexEnds> {
    const [ends] = await this.#deps.database.run(getSearchEnds, [accountId]);
    const { first = "1", indexed = "0", last = "0", sealed = "0" } = ends ?? {};
    return { account_id: accountId, deleted: String(Number(first) - 1), indexed, last, sealed };
  }

  /**
   * Resolves to the number of segments that were indexed: fewer if another replica indexes, or events are
   * missing. Then seals what is complete.
   */
  async #giveTurn(account: IndexEnds, signal: AbortSignal): Promise<number> {
    const { database } = this.#deps;
    const { account_id: accountId } = account;
    const most = Math.min(TURN_SEGMENTS, lackingOf(account));
    let indexed = Number(account.indexed);
    let made = 0;
    for (; made < most && !signal.aborted; made += 1) {
      const [row] = await database.run(indexSegment, [accountId, indexed]);
      if (row?.is_done !== true) return made;
      indexed += CHUNK_SIZE;
    }
    // What retention has entered stays fresh.
    const unsealed = Math.max(
      Number(account.sealed),
      Math.ceil(Number(account.deleted) / SEALED_SIZE) * SEALED_SIZE,
    );
    if (indexed - unsealed >= SEALED_SIZE && !signal.aborted)
      await database.run(sealSegment, [accountId, unsealed]);
    return made;
  }
}

/** Complete segments that the index lacks. */
function lackingOf({ indexed, last }: IndexEnds): number {
  return Math.max(0, Math.floor((Number(last) - Number(indexed)) / CHUNK_SIZE));
}
