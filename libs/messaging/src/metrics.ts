// The metrics of every service that publishes notices.

import { Counter, Gauge, type Registry } from "@annals/chassis";
import type { NoticeLag } from "./lag.ts";
import { NOTICE_KINDS } from "./subjects.ts";

export type NoticeMetrics = ReturnType<typeof noticeMetrics>;

export function noticeMetrics(registry: Registry) {
  const metrics = {
    /** kind: events, verifications, exports. */
    published: new Counter({
      name: "annals_notices_published_total",
      help: "Notices that NATS acknowledged, by kind: events, verifications, exports.",
      labelNames: ["kind"],
      registers: [registry],
    }),
    /** kind: events, verifications, exports. */
    failed: new Counter({
      name: "annals_notices_failed_total",
      help: "Notices that were dropped; the sweep recovers what they announced. By kind: events, verifications, exports.",
      labelNames: ["kind"],
      registers: [registry],
    }),
  };
  // An alert on the increase sees the first one only if the series exists before it.
  for (const kind of NOTICE_KINDS) {
    metrics.published.inc({ kind }, 0);
    metrics.failed.inc({ kind }, 0);
  }
  return metrics;
}

/**
 * Measures the notices that NATS holds for a consumer. A producer reports them, so that they are also there
 * while every consumer is stopped. `read` is called at each scrape; if it resolves to undefined, both are
 * absent.
 */
export function lagMetrics(registry: Registry, read: () => Promise<NoticeLag | undefined>): void {
  let reading: Promise<NoticeLag | undefined> | undefined;
  const readOnce = (): Promise<NoticeLag | undefined> =>
    (reading ??= read().finally(() => (reading = undefined)));
  const set = (gauge: Gauge, value: number | undefined): void => {
    if (value === undefined) gauge.remove();
    else gauge.set(value);
  };
  const pending: Gauge = new Gauge({
    name: "annals_notices_pending",
    help: "Notices in JetStream that no webhook dispatcher has consumed.",
    registers: [registry],
    collect: async () => set(pending, (await readOnce())?.pending),
  });
  const oldest: Gauge = new Gauge({
    name: "annals_notices_oldest_pending_seconds",
    help: "Age of the oldest pending notice in JetStream; 0 if no notice is pending.",
    registers: [registry],
    collect: async () => set(oldest, (await readOnce())?.oldestSeconds),
  });
}
