// The hash of one event of a chain, and the number of the last. The hash of an event that retention has
// deleted is in its tile. No row: the account has no chain.

import { statement } from "@annals/postgres";

interface HashRow {
  readonly last: string;
  /** Hash in hexadecimal; null if the chain has no such event. */
  readonly hash: string | null;
}

type Params = [accountId: string, sequenceNumber: string];

export const getHash = statement<Params, HashRow>(
  `/* ledger.get-hash */
SELECT heads.sequence_number AS last, coalesce((
    SELECT encode(hash, 'hex') FROM ledger.events
    WHERE account_id = $1::text AND sequence_number = $2::bigint
  ), (
    SELECT encode(substring(hashes FROM (($2::bigint - 1) % 256)::integer * 32 + 1 FOR 32), 'hex')
    FROM ledger.tiles
    WHERE account_id = $1::text AND level = 0 AND tile = ($2::bigint - 1) / 256
      AND heads.sequence_number >= $2::bigint
  )) AS hash
FROM ledger.heads
WHERE account_id = $1::text
`,
  { route: "one account" },
);
