// What of an account is covered: its head in the newest epoch that is served. Called by the RPCs of the log.

import { AnnalsError } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { type AccountHeadRow, getAccountHead } from "./store/get-account-head.ts";
import { getServedEpoch } from "../store/get-served-epoch.ts";

export interface CoveredHead {
  readonly log: number;
  /** The first epoch that has this head. */
  readonly epoch: number;
  /** The newest epoch that is served. */
  readonly servedEpoch: number;
  readonly size: number;
  readonly root: Buffer;
  /** The account's signed checkpoint, if it has been asked for before. */
  readonly checkpoint: string | undefined;
}

/** Undefined if there is no log, or if the account has no head in a served epoch yet. */
export async function coveredHead(
  database: Database,
  accountId: string,
): Promise<CoveredHead | undefined> {
  const [served] = await database.run(getServedEpoch, []);
  if (served === undefined) return undefined;
  const { epoch: servedEpoch, log } = served;
  const [head] = await database.run(getAccountHead, [accountId, log, servedEpoch]);
  return head === undefined ? undefined : headOf(log, servedEpoch, head);
}

/** The head of one size; 0: the newest. Rejects with `not_found` for a size that no served epoch has. */
export async function coveredHeadOf(
  database: Database,
  accountId: string,
  size: bigint,
): Promise<CoveredHead> {
  if (size === 0n) {
    const newest = await coveredHead(database, accountId);
    if (newest === undefined) throw notCovered();
    return newest;
  }
  const [served] = await database.run(getServedEpoch, []);
  if (served === undefined) throw notCovered();
  const { epoch: servedEpoch, log } = served;
  // Sizes rise with the epochs: each step halves those that may have this one.
  let [from, to] = [1, Number(servedEpoch)];
  while (from <= to) {
    const middle = Math.floor((from + to) / 2);
    const [head] = await database.run(getAccountHead, [accountId, log, String(middle)]);
    if (head?.size === String(size)) return headOf(log, servedEpoch, head);
    if (head === undefined || BigInt(head.size) < size) from = middle + 1;
    else to = Number(head.epoch) - 1;
  }
  throw new AnnalsError("not_found", "No epoch that is kept has this size of the account's log.");
}

export function headOf(log: number, servedEpoch: string, head: AccountHeadRow): CoveredHead {
  return {
    log,
    epoch: Number(head.epoch),
    servedEpoch: Number(servedEpoch),
    size: Number(head.size),
    root: head.root,
    checkpoint: head.checkpoint ?? undefined,
  };
}

/** 404: there is no log, or it does not cover the account yet. */
export function notCovered(): AnnalsError {
  return new AnnalsError("not_found", "No epoch of the log covers this account yet.");
}
