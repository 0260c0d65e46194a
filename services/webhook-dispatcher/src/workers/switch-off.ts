// What makes "no delivery begins after this" true once a webhook is switched off or deleted, and that is
// committed. A claim that did not see it was asked for before; and an attempt begins within a fixed time of
// asking for its claim, or not at all. So that time is waited for where there is anything that may have
// been claimed: a claim leaves its delivery pending, and whoever makes deliveries holds the webhook's row
// until they are stored.

import type { Database } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import { hasPendingDeliveries } from "../store/has-pending-deliveries.ts";

export interface SwitchOffDeps {
  readonly database: Database;
  readonly startWindowMs: number;
  /** Called when there are deliveries to clear away. */
  readonly onStopped: () => void;
}

/** Timers may end a little early, and two machines do not measure time quite alike. */
const TIMER_MARGIN_MS = 50;

export class SwitchOff {
  readonly #deps: SwitchOffDeps;

  constructor(deps: SwitchOffDeps) {
    this.#deps = deps;
  }

  /** Resolves when no attempt for the webhook can begin any more. Call it after the commit. */
  async settle(accountId: string, webhookId: string): Promise<void> {
    const { database, onStopped, startWindowMs } = this.#deps;
    const [row] = await database.run(hasPendingDeliveries, [accountId, webhookId]);
    if (row?.pending === true) await pause(startWindowMs + TIMER_MARGIN_MS);
    onStopped();
  }
}
