// Deletes a sink with its configuration. A batch in flight then moves no cursor. No row: the account has no
// such sink.

import { statement } from "@annals/postgres";

export const deleteSink = statement<[accountId: string, id: string], { readonly id: string }>(
  `/* webhooks.delete-sink */
DELETE FROM webhooks.sinks WHERE account_id = $1::text AND operator IS NULL AND id = $2::text RETURNING id
`,
  { route: "one account" },
);
