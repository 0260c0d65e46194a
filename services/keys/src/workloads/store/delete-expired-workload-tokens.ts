// Deletes some tokens of workloads that have expired, or were to be verified again. Those of people are in
// slots, which the next token takes.

import { statement } from "@annals/postgres";

export const deleteExpiredWorkloadTokens = statement<[limit: number], { readonly id: string }>(
  `/* keys.delete-expired-workload-tokens */
DELETE FROM keys.access_tokens WHERE (account_id, id) IN (
  SELECT account_id, id FROM keys.access_tokens
  WHERE workload_id IS NOT NULL AND expires_at < statement_timestamp()
  ORDER BY expires_at LIMIT $1::integer)
RETURNING id
`,
  { route: "local" },
);
