// The pending deliveries of each webhook of an account that has some, and the bytes of their bodies.

import { statement } from "@annals/postgres";

export interface PendingRow {
  readonly webhook_id: string;
  readonly pending: number;
  readonly bytes: number;
}

export const countPending = statement<[accountId: string], PendingRow>(
  `/* webhooks.count-pending */
SELECT webhook_id, count(*)::integer AS pending, coalesce(sum(bytes), 0)::float8 AS bytes
FROM webhooks.deliveries
WHERE account_id = $1::text AND due_at IS NOT NULL
GROUP BY webhook_id
`,
  { route: "one account", customPlan: true },
);
