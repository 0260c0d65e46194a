// The metrics of the keys service, besides those that every service has.

import { Counter, type Registry, rowsSwept, workerFailures } from "@annals/chassis";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  return {
    /** outcome: admitted, rate_limited, unknown_key. */
    admissions: new Counter({
      name: "annals_admissions_total",
      help: "Requests that asked for admission, by outcome: admitted, rate_limited, unknown_key.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    /** worker: audit, key_sweep, refused_admissions. */
    failures: workerFailures(registry),
    /** kind: revoked_keys, rate_windows. */
    swept: rowsSwept(registry),
  };
}
