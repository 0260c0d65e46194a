// The clean-up: deletes, a bounded piece at a time, deliveries of deleted and disabled webhooks, records
// that are older than the retention, and secrets whose grace period is over. It closes empty
// queues. Any number of replicas may do it at once.

import {
  AccountRun,
  AccountWork,
  inPieces,
  type Logger,
  type Loop,
  startLoop,
} from "@annals/chassis";
import { assertRight, type Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { Metrics } from "../../metrics.ts";
import * as one from "../store/clean-up.ts";
import { clearDrops } from "../../store/clear-drops.ts";
import { lockWebhook } from "../../store/find-webhook.ts";
import * as all from "../store/list-clean-up.ts";
import { closeQueue } from "../store/queues.ts";

export interface CleanUpDeps {
  readonly database: Pool;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** See store/moment.ts. */
  readonly now: () => string;
  readonly retentionDays: number;
}

const INTERVAL_MS = 60_000;
/** Maximum rows of one statement. */
const PIECE = 1_000;
/** The greatest number that a delivery can have. */
const MAX_NUMBER = String(2n ** 63n - 1n);
/** Days ago before which every attempt has ended. */
const TOMORROW = -1;

/** Starts the clean-up. Wake it after a webhook was disabled or deleted. */
export function startCleanUp(deps: CleanUpDeps & { readonly clock: Clock }): Loop {
  const name = "clean_up";
  const work = new AccountWork(deps.log, name);
  return startLoop({
    name,
    log: deps.log,
    failures: deps.metrics.failures,
    delayMs: INTERVAL_MS,
    run: (signal) => {
      assertRight(deps.clock);
      return cleanUp(deps, work.begin(signal));
    },
  });
}

type CleanUpContext = Pick<CleanUpDeps, "database" | "now" | "retentionDays">;

/**
 * Does all that is due now: lists the webhooks, then works on them one by one. If one fails, it goes on with
 * the others, and throws the error at the end. Ends early if the signal of the run is aborted.
 */
export async function cleanUp(context: CleanUpContext, run = new AccountRun()): Promise<void> {
  const { database, now, retentionDays } = context;
  const { signal } = run;
  const each = async <Row extends all.WebhookKey>(
    kind: string,
    list: (after: [string, string, number]) => Promise<Row[]>,
    work: (row: Row) => Promise<unknown>,
  ): Promise<void> => {
    let after: [string, string, number] = ["", "", PIECE];
    const piece = async () => {
      const rows = await run.list([kind, ...after].join(), () => list(after));
      await run.each(rows, work);
      const last = rows.at(-1);
      if (last) after = [last.account_id, last.id, PIECE];
      return rows.length;
    };
    await inPieces(PIECE, piece, signal);
  };
  await each(
    "deleted",
    (after) => database.run(all.listDeleted, after),
    (row) => remove(context, row, signal),
  );
  await each(
    "stopped",
    (after) => database.run(all.listStopped, after),
    (row) => settle(context, row, row.stopped_up_to, signal),
  );
  await each(
    "expired",
    (after) => database.run(all.listExpired, [...after, now(), retentionDays]),
    (row) => deleteFinished(context, row, retentionDays, signal),
  );
  await each(
    "empty",
    (after) => database.run(all.listEmptyQueues, after),
    (row) => close(context, row),
  );
  await each(
    "secrets",
    (after) => database.run(all.listExpiredSecrets, [...after, now()]),
    (row) => database.run(one.eraseExpiredSecret, [row.account_id, row.id, now()]),
  );
  run.end();
}

/** Deletes the deliveries of a deleted webhook, then the webhook. A later run deletes what a claim holds. */
async function remove(
  context: CleanUpContext,
  row: all.WebhookKey,
  signal?: AbortSignal,
): Promise<void> {
  await settle(context, row, MAX_NUMBER, signal);
  await deleteFinished(context, row, TOMORROW, signal);
  await context.database.run(clearDrops, [row.account_id, row.id]);
  await context.database.run(one.removeWebhook, [row.account_id, row.id]);
}

/** Deletes stopped deliveries that were never attempted; the others stay without a next attempt. */
async function settle(
  { database, now }: CleanUpContext,
  { account_id: accountId, id }: all.WebhookKey,
  upTo: string,
  signal?: AbortSignal,
): Promise<void> {
  for (const statement of [one.deleteUnattempted, one.settleAttempted]) {
    const piece = () => database.run(statement, [accountId, id, PIECE, upTo, now()]);
    await inPieces(PIECE, async () => (await piece()).length, signal);
  }
}

async function deleteFinished(
  { database, now }: CleanUpContext,
  { account_id: accountId, id }: all.WebhookKey,
  days: number,
  signal?: AbortSignal,
): Promise<void> {
  const piece = () => database.run(one.deleteFinished, [accountId, id, PIECE, now(), days]);
  await inPieces(PIECE, async () => (await piece()).length, signal);
}

async function close({ database }: CleanUpContext, { account_id: accountId, id }: all.WebhookKey) {
  await database.transaction(async (transaction) => {
    await transaction.run(lockWebhook, [accountId, id]);
    await transaction.run(closeQueue, [accountId, id]);
  });
}
