// Keeps the time blocks of all chains up with their heads, away from the append path, for as long as the
// process runs. Any number of replicas may do it at the same time. Nothing waits for it: a block that is not
// filled yet is only slower to search.

import { type Loop, type LoopOptions, startLoop } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { fillTimeBlocks } from "../store/fill-time-blocks.ts";
import { findTimeBlockWork, type TimeBlockWorkRow } from "../store/find-time-block-work.ts";

/** From the end of a run to the begin of the next: at 20,000 events a second 20 blocks. */
const DELAY_MS = 1_000;

/** Accounts of one run; the next run continues after them, and after the last begins again. */
const ACCOUNTS = 1_000;

/** Blocks of one statement: 65,536 events, less than a tenth of a second. */
const BLOCKS = 64;

type Deps = Pick<LoopOptions, "failures" | "log"> & { readonly database: Database };

export function startTimeBlockFiller({ database, failures, log }: Deps): Loop {
  let after = "";
  return startLoop({
    name: "time_blocks",
    failures,
    log,
    delayMs: DELAY_MS,
    initialDelayMs: DELAY_MS,
    run: async (signal) => {
      after = await fillSome(database, after, signal);
    },
  });
}

/**
 * Fills the blocks that the next accounts after `after` lack. Resolves to the last of them, or to the empty
 * text where there are no more.
 */
export async function fillSome(
  database: Database,
  after: string,
  signal: AbortSignal,
): Promise<string> {
  const accounts = await database.run(findTimeBlockWork, [after, ACCOUNTS]);
  for (const account of accounts) await fillAccount(database, account, signal);
  return accounts.length < ACCOUNTS ? "" : (accounts.at(-1)?.account_id ?? "");
}

async function fillAccount(
  database: Database,
  { account_id: accountId, next_block: first, end_block: end }: TimeBlockWorkRow,
  signal: AbortSignal,
): Promise<void> {
  for (let block = Number(first); block < Number(end) && !signal.aborted; block += BLOCKS) {
    const endBlock = Math.min(block + BLOCKS, Number(end));
    await database.run(fillTimeBlocks, [accountId, String(block), String(endBlock)]);
  }
}
