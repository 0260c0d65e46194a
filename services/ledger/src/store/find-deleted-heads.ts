// Chains that were found valid once and have no head since, so that the scheduled verification visits them
// too: find-verification-work.ts goes by the heads.

import { statement } from "@annals/postgres";
import type { VerificationWorkRow } from "./find-verification-work.ts";

export const findDeletedHeads = statement<[limit: number], VerificationWorkRow>(
  `/* ledger.find-deleted-heads */
SELECT verifications.account_id, 0::bigint AS head,
  extract(epoch FROM statement_timestamp() - verified_at)::double precision AS age_s,
  extract(epoch FROM statement_timestamp() - due_at)::double precision AS overdue_s
FROM ledger.verifications
LEFT JOIN ledger.heads ON heads.account_id = verifications.account_id AND heads.sequence_number > 0
WHERE verifications.sequence_number > 0 AND heads.account_id IS NULL
ORDER BY verifications.account_id
LIMIT $1::integer
`,
  { route: "all accounts, read" },
);
