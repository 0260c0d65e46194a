// How many tests of its sinks an account has made in a minute, the one of this transaction included: what the
// audit counts of them (libs/postgres/src/audit-windows.ts), whichever dispatchers they came to. Run it after
// the entry is added, whose row is then locked until the transaction ends.

import type { AuditAction } from "@annals/contract";
import { statement } from "@annals/postgres";

const ACTION: AuditAction<"webhook-dispatcher"> = "annals.sink.tested";

export const countSinkTests = statement<
  [accountId: string, minute: string],
  { readonly tests: string }
>(
  `/* webhooks.count-sink-tests */
SELECT changes AS tests FROM webhooks.audit_windows
WHERE account_id = $1::text AND minute = $2::text AND action = '${ACTION}'
`,
  { route: "one account" },
);
