// Deletes, a piece at a time, what nobody asks for any more: deliveries of deleted and of
// switched-off webhooks, and records older than they are kept. Any number of replicas may do it at
// once.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { Metrics } from "../metrics.ts";
import {
  deleteExpiredDeliveries,
  deleteOfDeletedWebhooks,
  settleStopped,
} from "../store/clean-up.ts";
import { Wake } from "./wake.ts";

export interface CleanUpDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly now: () => string | null;
  readonly retentionDays: number;
}

const INTERVAL_MS = 60_000;
const PIECE = 1_000;

export interface CleanUp {
  /** A webhook was switched off or deleted. */
  wake(): void;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

export function startCleanUp(deps: CleanUpDeps): CleanUp {
  const wake = new Wake();
  let isStopping = false;
  const loop = (async () => {
    while (!isStopping) {
      await cleanUp(deps, () => isStopping).catch((error: unknown) => {
        deps.metrics.failures.inc({ worker: "clean_up" });
        deps.log.warn({ err: error }, "clean-up failed");
      });
      if (!isStopping) await wake.wait(INTERVAL_MS);
    }
  })();
  return {
    wake: () => wake.wake(),
    stop: () => {
      isStopping = true;
      wake.wake();
      return loop;
    },
  };
}

/** Everything that is to go now. */
export async function cleanUp(
  { database, now, retentionDays }: Pick<CleanUpDeps, "database" | "now" | "retentionDays">,
  isStopping: () => boolean = () => false,
): Promise<void> {
  const pieces = [
    () => database.run(deleteOfDeletedWebhooks, [PIECE]),
    () => database.run(settleStopped, [now(), PIECE]),
    () => database.run(deleteExpiredDeliveries, [now(), retentionDays, PIECE]),
  ];
  for (const piece of pieces) {
    let touched = 1;
    while (touched > 0 && !isStopping()) touched = (await piece())[0]?.touched ?? 0;
  }
}
