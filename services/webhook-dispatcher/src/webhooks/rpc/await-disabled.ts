// Makes "no delivery begins after this" true once a webhook is disabled or deleted, and that is committed.
// Called by the update and delete handlers. A claim that did not see the commit was requested before it, and
// an attempt begins within a fixed time of requesting its claim, or not at all. So this waits for that time
// if anything may have been claimed. A claim leaves its delivery pending, and the fan-out holds the
// webhook's row until its deliveries are stored, so the query sees them all.

import type { Pool } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import { hasPendingDeliveries } from "../store/has-pending-deliveries.ts";

export interface AwaitDisabledDeps {
  readonly database: Pool;
  readonly startWindowMs: number;
  /** Called when there are deliveries for the clean-up. */
  readonly onDisabled: () => void;
}

/** Resolves when attempts for the webhook can no longer begin. Call it after the commit. */
export type AwaitDisabled = (accountId: string, webhookId: string) => Promise<void>;

/** Timers may end a little early, and the clocks of two machines run at slightly different speeds. */
const TIMER_MARGIN_MS = 50;

export function awaitDisabled(deps: AwaitDisabledDeps): AwaitDisabled {
  return async (accountId, webhookId) => {
    const [row] = await deps.database
      .forAccount(accountId)
      .run(hasPendingDeliveries, [accountId, webhookId]);
    if (row) await pause(deps.startWindowMs + TIMER_MARGIN_MS);
    deps.onDisabled();
  };
}
