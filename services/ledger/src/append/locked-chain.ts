// What both ways to append under the lock of a head share: the head, the call of the function, and the alert
// for a chain that does not end at its head. Called by flush.ts and append-record.ts, within a transaction.

import type { Logger } from "@annals/chassis";
import { type AnnalsError, internal } from "@annals/errors";
import { type Database, type Statement, violatedConstraint } from "@annals/postgres";
import type { Head } from "./rules/plan-flush.ts";
import type { Metrics } from "../metrics.ts";
import { appendEvents, appendParams, type PlannedAppend } from "./store/append-events.ts";
import { createHead } from "./store/create-head.ts";
import type { HeadRow } from "../store/lock-head.ts";

/** The head of the chain, held by `lock` until the transaction ends. It makes the head of a new chain. */
export async function lockedHead(
  transaction: Database,
  accountId: string,
  lock: Statement<[accountId: string], HeadRow>,
): Promise<Head> {
  let [row] = await transaction.run(lock, [accountId]);
  if (!row) {
    await transaction.run(createHead, [accountId]);
    [row] = await transaction.run(lock, [accountId]);
  }
  if (!row) throw internal(`chain ${accountId} has no head and none can be made`);
  return {
    sequence: Number(row.sequence_number),
    hash: row.hash.toString("hex"),
    createdAt: row.created_at,
    monthStart: Number(row.month_start),
  };
}

/** Rejects if the function stores nothing: the lock leaves only one cause. */
export async function storeUnderLock(
  transaction: Database,
  planned: PlannedAppend,
  idempotencyHours: number,
): Promise<void> {
  const [row] = await transaction.run(appendEvents, appendParams(planned, idempotencyHours));
  if (row?.stored !== true) throw new BrokenChain(planned.accountId);
}

/** The last event of a chain is not the one at its head. */
class BrokenChain extends Error {
  override readonly name = "BrokenChain";

  constructor(accountId: string) {
    super(`the last event of chain ${accountId} is not the one at its head`);
  }
}

/** Raises the alert if the error says that the chain is broken. Returns undefined for any other error. */
export function brokenChain(
  { log, metrics }: { readonly log: Logger; readonly metrics: Pick<Metrics, "brokenChains"> },
  accountId: string,
  error: unknown,
): AnnalsError | undefined {
  const isBroken =
    error instanceof BrokenChain || violatedConstraint(error)?.startsWith("events_") === true;
  if (!isBroken) return undefined;
  metrics.brokenChains.inc();
  log.error(
    { account_id: accountId, err: error },
    "chain invariant broken: the chain does not continue at its head",
  );
  return internal("chain invariant broken", error);
}
