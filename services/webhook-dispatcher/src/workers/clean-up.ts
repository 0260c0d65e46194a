// The clean-up: deletes, a bounded piece at a time, deliveries of deleted and disabled webhooks, records
// that are older than the retention, and secrets whose grace period is over. Any number of replicas may do
// it at once.

import { inPieces, type Logger, type Loop, startLoop } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { Metrics } from "../metrics.ts";
import {
  deleteExpiredDeliveries,
  deleteOfDeletedWebhooks,
  eraseExpiredSecrets,
  settleStopped,
} from "../store/clean-up.ts";

export interface CleanUpDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Null for the database's own clock. */
  readonly now: () => string | null;
  readonly retentionDays: number;
}

const INTERVAL_MS = 60_000;
/** Rows of one statement. */
const PIECE = 1_000;

/** Wake it when a webhook was disabled or deleted. */
export function startCleanUp(deps: CleanUpDeps): Loop {
  return startLoop({
    name: "clean_up",
    log: deps.log,
    failures: deps.metrics.failures,
    delayMs: INTERVAL_MS,
    run: (signal) => cleanUp(deps, signal),
  });
}

/** Deletes all that is due now. Ends early when the signal is aborted. */
export async function cleanUp(
  { database, now, retentionDays }: Pick<CleanUpDeps, "database" | "now" | "retentionDays">,
  signal?: AbortSignal,
): Promise<void> {
  const pieces = [
    () => database.run(deleteOfDeletedWebhooks, [PIECE]),
    () => database.run(settleStopped, [now(), PIECE]),
    () => database.run(deleteExpiredDeliveries, [now(), retentionDays, PIECE]),
  ];
  for (const piece of pieces) {
    // A piece that is not full need not be the last: it may take only a part of each webhook.
    await inPieces(1, async () => (await piece())[0]?.touched ?? 0, signal);
  }
  await database.run(eraseExpiredSecrets, [now()]);
}
