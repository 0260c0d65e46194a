// The hash of one event of a chain, and the number of the last. No row: the account has no chain.

import { statement } from "@annals/postgres";

interface HashRow {
  readonly last: string;
  /** Hash in hexadecimal; null if there is no such event. */
  readonly hash: string | null;
}

type Params = [accountId: string, sequenceNumber: string];

export const getHash = statement<Params, HashRow>(
  `/* ledger.get-hash */
SELECT heads.sequence_number AS last, (
    SELECT encode(hash, 'hex') FROM ledger.events
    WHERE account_id = $1::text AND sequence_number = $2::bigint
  ) AS hash
FROM ledger.heads
WHERE account_id = $1::text
`,
  { route: "one account" },
);
