// How far the fan-out is behind the producers, according to each sweep. Called by sweep.ts. An account under
// load is always a little behind, so only a cursor that does not move counts as waiting.

import type { NoticeKind } from "@annals/messaging";
import { NOTICE_KINDS } from "@annals/messaging";
import type { Metrics } from "../../metrics.ts";

interface Behind {
  readonly cursor: bigint;
  /** Time at which a sweep first found the account at this cursor. */
  readonly sinceMs: number;
}

export class OutboxLag {
  readonly #gauges: Pick<Metrics, "outboxLag" | "outboxLagSeconds">;
  readonly #nowMs: () => number;
  /** Lag by kind and account: only of those that have subscribers and are behind. */
  #before = new Map<string, Behind>();
  #now = new Map<string, Behind>();
  #sums = noLag();

  constructor(gauges: Pick<Metrics, "outboxLag" | "outboxLagSeconds">, nowMs: () => number) {
    this.#gauges = gauges;
    this.#nowMs = nowMs;
  }

  /** Called when the current sweep finds an account behind. */
  found(kind: NoticeKind, accountId: string, cursor: bigint, position: bigint): void {
    const key = `${kind} ${accountId}`;
    const before = this.#before.get(key);
    const behind = before?.cursor === cursor ? before : { cursor, sinceMs: this.#nowMs() };
    this.#now.set(key, behind);
    const sum = this.#sums[kind];
    sum.entries += Number(position - cursor);
    sum.ms = Math.max(sum.ms, this.#nowMs() - behind.sinceMs);
  }

  /** Called at the end of a sweep. */
  report(): void {
    for (const kind of NOTICE_KINDS) {
      const { entries, ms } = this.#sums[kind];
      this.#gauges.outboxLag.set({ kind }, entries);
      this.#gauges.outboxLagSeconds.set({ kind }, ms / 1000);
    }
    this.#before = this.#now;
    this.#now = new Map();
    this.#sums = noLag();
  }
}

function noLag(): Record<NoticeKind, { entries: number; ms: number }> {
  const none = () => ({ entries: 0, ms: 0 });
  return { events: none(), verifications: none(), exports: none() };
}
