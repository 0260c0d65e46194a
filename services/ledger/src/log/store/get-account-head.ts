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

type InEpochs = [accountId: string, log: number, epochs: readonly string[]];

export interface HeadInEpochRow extends Pick<AccountHeadRow, "root" | "size"> {
  readonly epoch: string;
}

/** The heads that an account has in some epochs, by the epochs that are asked for. */
export const getHeadsInEpochs = statement<InEpochs, HeadInEpochRow>(
  `/* ledger.get-heads-in-epochs */
SELECT asked.epoch, head.size, head.root
FROM unnest($3::bigint[]) AS asked (epoch)
CROSS JOIN LATERAL (
  SELECT size, root FROM ledger.account_heads
  WHERE account_id = $1::text AND log = $2::smallint AND account_heads.epoch <= asked.epoch
  ORDER BY account_heads.epoch DESC
  LIMIT 1
) AS head
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
