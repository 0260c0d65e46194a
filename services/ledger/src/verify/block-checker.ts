// Checks blocks of chains, of trees and of the filter index inside PostgreSQL, a few at a time for all
// verifications of the process, so that any number of them leaves connections and CPU to appends. Accounts
// take turns. Called by verify-range.ts, verify-tree.ts and verify-index.ts. It must never report a block as
// valid that was not recomputed; a block that it does not report as valid may still be valid.

import { Slots } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { TILE_WIDTH } from "@annals/tlog";
import type { ValidBlock } from "./rules/chain-verifier.ts";
import { checkBlock } from "./store/check-block.ts";
import { type ComparedTileRow, compareTiles } from "./store/compare-tiles.ts";
import { findHiddenEvent } from "./store/find-hidden-event.ts";
import { chunkOf } from "../search/rules/chunk.ts";

/**
 * SQLSTATE classes for data that PostgreSQL cannot parse as the required type, or that is too deeply nested.
 */
const ABOUT_THE_DATA = ["22", "54"];

export interface AskedBlock {
  readonly accountId: string;
  /** Both ends are included. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
}

/** An event that lists would skip. */
interface HiddenEvent {
  readonly sequenceNumber: number;
  readonly id: string;
}

/** Checks blocks, each within one chunk. A check that waits for its turn ends when the signal aborts. */
export class BlockChecker {
  /** Blocks of one verification that are checked or queued at a time, so that no slot waits for it. */
  readonly ahead: number;
  /** Has no bound of its own: each verification submits only a few blocks. */
  readonly #slots: Slots;

  /** `concurrency` is the number of statements at a time: each keeps a CPU of PostgreSQL busy. */
  constructor(concurrency: number) {
    this.ahead = 2 * concurrency;
    this.#slots = new Slots({ total: concurrency });
  }

  /**
   * Resolves to the block if all of its rows exist, are valid, and are linked from the first to the last. The
   * caller has to compare what the first row links to.
   */
  check(database: Database, asked: AskedBlock): Promise<ValidBlock | undefined> {
    return this.#run(asked, () => findWhole(database, asked));
  }

  /** The tiles of the block, which has full ones only, with whether they have the hashes of its events. */
  compareTiles(database: Database, asked: AskedBlock): Promise<ComparedTileRow[]> {
    const [from, before] = [(asked.from - 1) / TILE_WIDTH, asked.to / TILE_WIDTH];
    const params = [asked.accountId, String(from), String(before)] as const;
    return this.#run(asked, () => database.run(compareTiles, [...params]));
  }

  /** The first event of the block that lists would skip. */
  findHidden(database: Database, asked: AskedBlock): Promise<HiddenEvent | undefined> {
    return this.#run(asked, () => findHidden(database, asked));
  }

  #run<Result>({ accountId, signal }: AskedBlock, work: () => Promise<Result>): Promise<Result> {
    const statement = () => {
      signal.throwIfAborted();
      return work();
    };
    return this.#slots.run(accountId, async () => statement(), signal);
  }
}

async function findWhole(
  database: Database,
  { accountId, from, to }: AskedBlock,
): Promise<ValidBlock | undefined> {
  try {
    const [row] = await database.run(checkBlock, [accountId, String(from), String(to)]);
    const size = to - from + 1;
    if (!row?.previous_hash || !row.hash) return undefined;
    if (Number(row.rows) !== size || Number(row.valid) !== size) return undefined;
    const hash = row.hash.toString("hex");
    const hasErased = Number(row.erased) > 0;
    return { from, to, previousHash: row.previous_hash.toString("hex"), hash, hasErased };
  } catch (error) {
    if (isAboutTheData(error)) return undefined;
    throw error;
  }
}

async function findHidden(
  database: Database,
  { accountId, from, to }: AskedBlock,
): Promise<HiddenEvent | undefined> {
  const params = [accountId, String(chunkOf(from)), String(from), String(to)] as const;
  const [row] = await database.run(findHiddenEvent, [...params]);
  return row && { sequenceNumber: Number(row.sequence_number), id: row.id };
}

function isAboutTheData(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const code = String(error.code);
  return ABOUT_THE_DATA.some((class_) => code.startsWith(class_));
}
