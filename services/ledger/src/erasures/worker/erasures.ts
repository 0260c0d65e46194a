// Executes the requests to erase, after their delay, in batches. Each batch is a record in the account's
// chain and what it erases, in one transaction (docs/adr/0055-erasure-waits-and-goes-in-batches.md). Any
// number of replicas may do it at the same time: a lease gives each request to one of them. Accounts take
// turns. A request is completed once the filter index has none of the values, and the services with copies
// have said that they have none. It must never erase an event that a hold covers, or without a record.

import { AccountWork, type Logger } from "@annals/chassis";
import type { Clock, ErasedValues } from "@annals/contract";
import { internal } from "@annals/errors";
import { erasedParts } from "@annals/event";
import type { Database, Pool } from "@annals/postgres";
import type { AppendQueue } from "../../append/append-queue.ts";
import { BATCH, type Done, eraseFound, type Erasing, NOTHING } from "../erase-found.ts";
import type { ErasureCopies } from "../rules/erasure-copies.ts";
import { numberOf, type Selector, selectorDigest, selectorOf } from "../rules/erasure.ts";
import { findSelected } from "../../search/find-selected.ts";
import { forgetValues } from "../../search/forget-values.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { listErasable } from "../store/erase.ts";
import {
  advanceErasure,
  claimErasure,
  completeErasure,
  type ErasureWorkRow,
  findErasureWork,
  finishErasure,
  releaseErasure,
} from "../store/erasures.ts";
import { unindex } from "../store/unindex.ts";

export interface ErasuresDeps {
  readonly appends: Pick<AppendQueue, "record">;
  readonly clock: Clock;
  readonly copies: ErasureCopies;
  readonly database: Pool;
  readonly log: Logger;
  readonly random: (size: number) => Uint8Array;
  readonly searches: SearchTurns;
}

/** Time from the end of a pass to the beginning of the next, unless a request is left undone. */
export const DELAY_MS = 5_000;
const ACCOUNTS = 1_000;
/** Batches of one account before the next account has its turn. */
export const TURN_BATCHES = 8;
/** Rows that are read to find the events of a batch. */
const ROWS = 20_000;
/** Seconds of a lease, which each batch renews. A request that failed is tried again after it. */
const LEASE_S = 300;

interface Erasure extends Erasing {
  readonly selector: Selector;
  readonly upTo: number;
}

interface Batch {
  readonly numbers: readonly number[];
  readonly from: number;
  readonly reached: number;
}

export class Erasures {
  readonly #deps: ErasuresDeps;
  readonly #work: AccountWork;

  constructor(deps: ErasuresDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "erasures");
  }

  /** Gives each account with a due request one turn, for a loop. Resolves to the delay before the next. */
  async run(signal: AbortSignal): Promise<number> {
    const { copies, database } = this.#deps;
    const run = this.#work.begin(signal);
    let isBehind = false;
    let listed: readonly ErasureWorkRow[] = [];
    do {
      const after = listed.at(-1)?.account_id ?? "";
      const params = [after, ACCOUNTS, copies.exports, copies.webhooks] as const;
      listed = await run.list(after, () => database.run(findErasureWork, [...params]));
      await run.each(listed, async (one) => {
        if (await this.#giveTurn(one, signal)) isBehind = true;
      });
      if (signal.aborted) return 0;
    } while (listed.length === ACCOUNTS);
    run.end();
    return isBehind ? 0 : DELAY_MS;
  }

  /** Resolves to whether some of the request is left. */
  async #giveTurn(
    { account_id: accountId, id }: ErasureWorkRow,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { copies, database } = this.#deps;
    const claim = [accountId, id, LEASE_S, copies.exports, copies.webhooks] as const;
    const [claimed] = await database.run(claimErasure, [...claim]);
    if (!claimed) return false;
    // What archives have had may be queued, too.
    if (claimed.is_done && (await this.#forget(accountId, signal)))
      return this.#complete(accountId, id, claimed.selector);
    const erasure: Erasure = {
      accountId,
      id,
      selector: selectorOf(claimed.selector),
      parts: claimed.parts,
      reference: claimed.reference ?? undefined,
      actor: JSON.parse(claimed.actor),
      upTo: Number(claimed.up_to_sequence),
    };
    let done = Number(claimed.done_through);
    for (let batches = 0; done < erasure.upTo && batches < TURN_BATCHES; batches += 1) {
      if (signal.aborted) break;
      done = await this.#eraseNext(erasure, done, signal);
    }
    const isForgotten = await this.#forget(accountId, signal);
    if (done < erasure.upTo || !isForgotten) {
      await database.run(releaseErasure, [accountId, id, String(done)]);
      return true;
    }
    await forgetValues(this.#deps, { accountId, id, ...erasedValues(erasure) });
    await database.run(finishErasure, [accountId, id]);
    if (copies.exports || copies.webhooks) return false;
    return this.#complete(accountId, id, claimed.selector);
  }

  async #complete(accountId: string, id: string, selector: string): Promise<false> {
    const { clock, database, random } = this.#deps;
    const digest = selectorDigest(selector, random);
    await database.run(completeErasure, [accountId, id, digest, clock.nowText()]);
    return false;
  }

  /** Takes what batches have queued out of the filter index. Resolves to whether nothing is left of it. */
  async #forget(accountId: string, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- a segment after the other
      const [row] = await this.#deps.database.run(unindex, [accountId]);
      if (Number(row?.taken ?? 0) === 0) return true;
    }
    return false;
  }

  /** Erases the next events after `from`. Resolves to the number up to which all are erased or held. */
  async #eraseNext(erasure: Erasure, from: number, signal: AbortSignal): Promise<number> {
    const { accountId } = erasure;
    const { numbers, reached } = await this.#find(erasure, from, signal);
    const batch = { numbers, from, reached };
    if (numbers.length > 0)
      await this.#deps.appends.record(accountId, (transaction) =>
        decide(transaction, erasure, batch),
      );
    else await advance(this.#deps.database, erasure, batch, NOTHING);
    return reached;
  }

  async #find(
    { accountId, selector, upTo }: Erasure,
    after: number,
    signal: AbortSignal,
  ): Promise<Pick<Batch, "numbers" | "reached">> {
    const number = numberOf(selector);
    if (number !== undefined) return { numbers: [number], reached: upTo };
    const database = this.#deps.searches.of(accountId, "service", signal);
    const within = { after, upTo, limit: BATCH, rows: ROWS };
    return findSelected(database, { accountId, selector }, within);
  }
}

/** What nothing may name afterwards: the id of an actor or a target whose part is erased. */
function erasedValues({ parts, selector: { actorId, targetId } }: Erasure): ErasedValues {
  const erased = erasedParts(parts);
  return {
    ...(erased.includes("actor") && { actorId }),
    ...(erased.includes("target") && { targetId }),
  };
}

/** Runs under the lock of the head: no hold is placed, and no other batch erases, meanwhile. */
async function decide(transaction: Database, erasure: Erasure, batch: Batch) {
  const { accountId, parts, selector } = erasure;
  const { actorId = null, targetId = null } = selector;
  const params = [accountId, batch.numbers, parts, actorId, targetId] as const;
  const found = await transaction.run(listErasable, [...params]);
  return eraseFound(transaction, erasure, found, (done) =>
    advance(transaction, erasure, batch, done),
  );
}

/** Throws if another replica has continued the request: then nothing of the batch is stored. */
async function advance(
  database: Database,
  { accountId, id }: Erasure,
  { from, reached }: Batch,
  { erased, held, record }: Done,
): Promise<void> {
  const places = [String(from), String(reached)] as const;
  const params = [accountId, id, ...places, erased, held, LEASE_S, record] as const;
  const [advanced] = await database.run(advanceErasure, [...params]);
  if (!advanced) throw internal(`another replica has continued the erasure ${id}`);
}
