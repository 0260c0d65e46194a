// The head that an account has in an epoch: that of the last epoch up to it in which the head changed.

import { statement } from "@annals/postgres";

type Params = [accountId: string, log: number, epoch: string];

export interface AccountHeadRow {
  readonly epoch: string;
  readonly size: string;
  readonly root: Buffer;
  /** The signed checkpoint; null until it is asked for. */
  readonly checkpoint: string | null;
}

export const getAccountHead = statement<Params, AccountHeadRow>(
  `/* ledger.get-account-head */
SELECT epoch, size, root, checkpoint FROM ledger.account_heads
WHERE account_id = $1::text AND log = $2::smallint AND epoch <= $3::bigint
ORDER BY epoch DESC
LIMIT 1
`,
  { route: "one account" },
);

/** The first epoch after one in which the account's head changed, of those that are kept. */
export const getNextAccountHead = statement<
  [accountId: string, log: number, after: string],
  Pick<AccountHeadRow, "epoch">
>(
  `/* ledger.get-next-account-head */
SELECT epoch FROM ledger.account_heads
WHERE account_id = $1::text AND log = $2::smallint AND epoch > $3::bigint
ORDER BY epoch
LIMIT 1
`,
  { route: "one account" },
);
