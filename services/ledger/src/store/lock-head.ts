// Reads the head of a chain and holds its lock until the transaction ends. No row: the chain has no head yet.

import { statement } from "@annals/postgres";

export interface HeadRow {
  readonly sequence_number: string;
  readonly hash: Buffer;
}

export const lockHead = statement<[accountId: string], HeadRow>(`/* ledger.lock-head */
SELECT sequence_number, hash FROM ledger.heads WHERE account_id = $1::text FOR UPDATE
`);
