// The heads of an account in the epochs in which they changed, after one epoch and up to another, in order.

import { statement } from "@annals/postgres";
import type { AccountHeadRow } from "./get-account-head.ts";

type Params = [accountId: string, log: number, after: string, upTo: string, limit: number];

export const listAccountHeads = statement<Params, AccountHeadRow>(
  `/* ledger.list-account-heads */
SELECT epoch, size, root, checkpoint FROM ledger.account_heads
WHERE account_id = $1::text AND log = $2::smallint AND epoch > $3::bigint AND epoch <= $4::bigint
ORDER BY epoch
LIMIT $5::integer
`,
  { route: "one account" },
);
