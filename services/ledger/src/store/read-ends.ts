// The head of a chain and its last row, in one snapshot: if they do not agree, one of them was changed
// outside the append path.

import { statement } from "@annals/postgres";

export interface EndsRow {
  /** Null if the chain has no head: nothing was ever appended. */
  readonly head_sequence: string | null;
  readonly head_hash: Buffer | null;
  readonly last_sequence: string | null;
  readonly last_id: string | null;
}

export const readEnds = statement<[accountId: string], EndsRow>(
  `/* ledger.read-ends */
SELECT heads.sequence_number AS head_sequence, heads.hash AS head_hash,
  last.sequence_number AS last_sequence, last.id AS last_id
FROM (VALUES (1)) AS one
LEFT JOIN ledger.heads ON heads.account_id = $1::text
LEFT JOIN LATERAL (
  SELECT sequence_number, id FROM ledger.events
  WHERE events.account_id = $1::text
  ORDER BY sequence_number DESC
  LIMIT 1
) AS last ON true
`,
  { route: "one account" },
);
