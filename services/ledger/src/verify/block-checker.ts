// Checks blocks of chains and of trees, and segments of the filter index, inside PostgreSQL, a few at a time
// for all verifications of the process, so that any number of them leaves connections and CPU to appends.
// Accounts take turns. Called by verify-range.ts, verify-tree.ts and verify-index.ts. It must never report a
// block as valid that was not recomputed; a block that it does not report as valid may still be valid.

import { Slots } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { TILE_WIDTH } from "@annals/tlog";
import type { IndexFault, ValidBlock } from "./rules/chain-verifier.ts";
import { checkBlock } from "./store/check-block.ts";
import { type ComparedTileRow, compareTiles } from "./store/compare-tiles.ts";
import { fieldParams, FIELDS, findHiddenTime, findHiddenValue } from "./store/find-hidden-event.ts";
import { CHUNK_SIZE, chunkOf } from "../search/rules/chunk.ts";
import type { Segment } from "../search/rules/segment.ts";
import { listSearchFields } from "../store/list-search-fields.ts";
import { blocksOf } from "./blocks.ts";
import { findWrongTime } from "./compare-runs.ts";

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

/** An event that lists would skip, or that counts would put into a wrong bar. */
export interface HiddenEvent {
  readonly sequenceNumber: number;
  readonly id: string;
  readonly index: IndexFault;
}

interface HiddenInSegment {
  /** Whether the blocks were those of the segment all the time. */
  readonly isKept: boolean;
  readonly hidden: HiddenEvent | undefined;
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

  /** The first event of the range that lists by time would skip, or that has a segment of other times. */
  async findHiddenTime(database: Database, asked: AskedBlock): Promise<HiddenEvent | undefined> {
    const params = [asked.accountId, asked.from, asked.to] as const;
    const [row] = await this.#run(asked, () => database.run(findHiddenTime, [...params]));
    if (!row) return undefined;
    const sequenceNumber = Number(row.sequence_number);
    return { sequenceNumber, id: row.id ?? "", index: inChunk(sequenceNumber, "times") };
  }

  /** The first event of the range that counts would put into a wrong bar: one chunk in a turn. */
  async findWrongTime(database: Database, asked: AskedBlock): Promise<HiddenEvent | undefined> {
    for (const block of blocksOf(asked)) {
      // oxlint-disable-next-line no-await-in-loop -- others have a turn between two chunks
      const wrong = await this.#run(asked, () => findWrongTime(database, asked.accountId, block));
      if (!wrong) continue;
      const { id, sequenceNumber, unit } = wrong;
      return { sequenceNumber, id, index: inChunk(sequenceNumber, unit) };
    }
    return undefined;
  }

  /** Compares the blocks of a segment, as far as the range goes, with the events: one field in a turn. */
  async compareSegment(
    database: Database,
    asked: AskedBlock,
    { base, level }: Segment,
  ): Promise<HiddenInSegment> {
    const params = [asked.accountId, level, base, asked.from, asked.to] as const;
    const declared = await this.#run(asked, () =>
      database.run(listSearchFields, [asked.accountId]),
    );
    const here = declared.filter((field) => Number(field.from_base) <= base).map(fieldParams);
    let hidden: HiddenEvent | undefined;
    for (const field of [...FIELDS, ...here]) {
      // oxlint-disable-next-line no-await-in-loop -- others have a turn between two fields
      const [row] = await this.#run(asked, () =>
        database.run(findHiddenValue, [...params, ...field]),
      );
      if (row?.is_kept !== true) return { isKept: false, hidden: undefined };
      const number = Number(row.sequence_number ?? Infinity);
      if (number < (hidden?.sequenceNumber ?? Infinity))
        hidden = {
          sequenceNumber: number,
          id: row.id ?? "",
          index: { level, base, differs: `field ${field[0]}` },
        };
    }
    return { isKept: true, hidden };
  }

  #run<Result>({ accountId, signal }: AskedBlock, work: () => Promise<Result>): Promise<Result> {
    const statement = () => {
      signal.throwIfAborted();
      return work();
    };
    return this.#slots.run(accountId, async () => statement(), signal);
  }
}

function inChunk(sequenceNumber: number, differs: string): IndexFault {
  return { level: 0, base: chunkOf(sequenceNumber) * CHUNK_SIZE, differs };
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

function isAboutTheData(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const code = String(error.code);
  return ABOUT_THE_DATA.some((class_) => code.startsWith(class_));
}
