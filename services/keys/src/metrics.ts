// The metrics of the keys service, besides those that every service has.

import { Counter, logRollbacks, type Registry, rowsSwept, workerFailures } from "@annals/chassis";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const metrics = {
    /** route: as in admin/routes.ts, or unmatched. outcome: ok, unauthenticated, refused, failed. */
    adminRequests: new Counter({
      name: "annals_admin_api_requests_total",
      help: "Requests to the admin API, by route and outcome: ok, unauthenticated, refused, failed.",
      labelNames: ["route", "outcome"],
      registers: [registry],
    }),
    /** outcome: admitted, rate_limited, unknown_key, other_address. */
    admissions: new Counter({
      name: "annals_admissions_total",
      help: "Requests for admission, by outcome: admitted, rate_limited, unknown_key, other_address.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    /** outcome: started, or the fault of one that was refused. */
    logins: new Counter({
      name: "annals_logins_total",
      help: "Logins of people, by outcome: started, state, unreachable, refused, token, groups, blocked.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    logRollbacks: logRollbacks(registry),
    /**
     * worker: audit, key_sweep, last_uses, refused_admissions, refused_logins, request_sweep, session_sweep.
     */
    failures: workerFailures(registry),
    /**
     * kind: expired_keys, people, rate_windows, revoked_keys, sessions, used_tokens, widget_tokens,
     * workload_tokens.
     */
    swept: rowsSwept(registry),
  };
  // An alert on the increase sees the first one only if the series exists before it.
  for (const outcome of ["admitted", "rate_limited", "unknown_key", "other_address"])
    metrics.admissions.inc({ outcome }, 0);
  metrics.logins.inc({ outcome: "unreachable" }, 0);
  return metrics;
}
