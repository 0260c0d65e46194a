// Keeps the time blocks of all chains up with their heads, away from the append path, for as long
// as the process runs. Any number of replicas may do it at the same time. Nothing waits for it: what
// it has not come to is only slower to search.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { fillTimeBlocks } from "../store/fill-time-blocks.ts";
import { findTimeBlockWork, type TimeBlockWorkRow } from "../store/find-time-block-work.ts";

/** From the end of one look to the begin of the next: at 20,000 events a second 20 blocks. */
const INTERVAL_MS = 1_000;

/** Accounts of one look; the next look goes on after them, and after the last begins again. */
const ACCOUNTS = 1_000;

/** Blocks of one statement: 65,536 events, less than a tenth of a second. */
const BLOCKS = 64;

interface Deps {
  readonly database: Database;
  readonly log: Logger;
}

/** Begins to fill; the returned function ends it and resolves when nothing is under way. */
export function startTimeBlockFiller({ database, log }: Deps): () => Promise<void> {
  const stopped = new AbortController();
  let after = "";
  let timer: NodeJS.Timeout;
  let filling = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      after = await fillSome(database, after, stopped.signal);
    } catch (error) {
      log.warn({ err: error }, "filling of time blocks failed");
    }
    if (!stopped.signal.aborted) schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      filling = look();
    }, INTERVAL_MS);
  };
  schedule();
  return () => {
    stopped.abort();
    clearTimeout(timer);
    return filling;
  };
}

/**
 * Fills what is behind of the next accounts after `after`; answers the last of them, or the empty
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
