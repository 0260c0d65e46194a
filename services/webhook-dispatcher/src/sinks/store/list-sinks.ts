// One page of the sinks of an account, newest first. `createdAt` and `id` are those of the last sink of the
// previous page, or null.

import { statement } from "@annals/postgres";
import type { SinkRow } from "./sink-row.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listSinks = statement<Params, SinkRow>(
  `/* webhooks.list-sinks */
SELECT account_id, id, type, format, config_key_id, config_sealed, filter, leave_out, include_proof, mapping, on_rejected, active,
  created_at, attempts
FROM webhooks.sinks
WHERE account_id = $1::text AND operator IS NULL AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "one account" },
);
