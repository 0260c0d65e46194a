// The next chains after the given one, each with its last event. Chains without an event are left out.

import { statement } from "@annals/postgres";

export interface HeadRow {
  readonly account_id: string;
  readonly sequence_number: string;
  /** Hash in hexadecimal. */
  readonly hash: string;
}

export const listHeads = statement<[afterAccountId: string, limit: number], HeadRow>(
  `/* ledger.list-heads */
SELECT account_id, sequence_number, encode(hash, 'hex') AS hash
FROM ledger.heads
WHERE account_id > $1::text AND sequence_number > 0
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);
