// Tells the operator what became of the items of intake: a metric, and a line of the log for a request of
// which items were refused. Called by store-items.ts. The log must never have a value of an item,
// and a sender that is refused again and again must not fill it.

import { BoundedLog, type Logger } from "@annals/chassis";
import type { IntakeOutcome, IntakeSource, Metrics } from "../metrics.ts";

export type { IntakeSource } from "../metrics.ts";

export interface FirstRejection {
  /** The place of the item in its body, from 0. */
  readonly index: number;
  readonly reason: string;
}

export interface IntakeResult extends Readonly<Record<IntakeOutcome, number>> {
  readonly firstRejections: readonly FirstRejection[];
  /** Says which part of the request had no items, but members that are not known; undefined if none. */
  readonly ignored: string | undefined;
}

const OUTCOMES = ["stored", "replayed", "reduced", "skipped", "rejected"] as const;

export class IntakeReports {
  readonly #metrics: Pick<Metrics, "intakeIgnored" | "intakeItems">;
  readonly #log: BoundedLog;

  constructor(metrics: Pick<Metrics, "intakeIgnored" | "intakeItems">, log: Logger) {
    this.#metrics = metrics;
    this.#log = new BoundedLog(log);
  }

  report(
    source: IntakeSource,
    { accountId, requestId }: { readonly accountId: string; readonly requestId: string },
    result: IntakeResult,
  ): void {
    for (const outcome of OUTCOMES) this.#metrics.intakeItems(source, outcome, result[outcome]);
    const request = { source, account_id: accountId, request_id: requestId };
    if (result.ignored !== undefined) {
      this.#metrics.intakeIgnored(source);
      const ignored = { ...request, reason: result.ignored };
      this.#log.write("warn", ignored, "a part of an intake request was ignored");
    }
    if (result.rejected === 0) return;
    const fields = {
      ...request,
      rejected: result.rejected,
      first_rejections: result.firstRejections,
    };
    this.#log.write("warn", fields, "items of intake were refused");
  }
}
