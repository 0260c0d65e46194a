// What makes "no delivery begins after this" true once a webhook is switched off or deleted, and
// that is committed. A claim locks the webhook's row until it is committed, so no claim is made any
// more; and an attempt begins within a fixed time of asking for its claim, or not at all. So that
// time is waited for where there is anything that may have been claimed.

import type { Database } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import { hasPendingDeliveries } from "../store/has-pending-deliveries.ts";

export interface SwitchOffDeps {
  readonly database: Database;
  readonly startWindowMs: number;
  /** Called when there are deliveries to clear away. */
  readonly onStopped: () => void;
}

export class SwitchOff {
  readonly #deps: SwitchOffDeps;

  constructor(deps: SwitchOffDeps) {
    this.#deps = deps;
  }

  /** Resolves when no attempt for the webhook can begin any more. Call it after the commit. */
  async settle(accountId: string, webhookId: string): Promise<void> {
    const { database, onStopped, startWindowMs } = this.#deps;
    const [row] = await database.run(hasPendingDeliveries, [accountId, webhookId]);
    if (row?.pending === true) await pause(startWindowMs);
    onStopped();
  }
}
