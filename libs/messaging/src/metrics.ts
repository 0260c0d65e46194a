// The metrics of every service that publishes notices.

import { Counter, type Registry } from "@annals/chassis";

export type NoticeMetrics = ReturnType<typeof noticeMetrics>;

export function noticeMetrics(registry: Registry) {
  return {
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
      help: "Notices that were dropped, and are recovered by the sweep, by kind: events, verifications, exports.",
      labelNames: ["kind"],
      registers: [registry],
    }),
  };
}
