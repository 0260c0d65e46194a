// How far the chain and the outbox of each account reach, in the order of the parameter: one look at two
// primary keys each.

import { statement } from "@annals/postgres";

export interface PositionsRow {
  readonly head_sequence_number: string;
  readonly outbox: string;
}

export const getPositions = statement<
  [accountIds: readonly string[]],
  PositionsRow
>(`/* ledger.get-positions */
SELECT coalesce(heads.sequence_number, 0) AS head_sequence_number,
  coalesce(outbox_heads.position, 0) AS outbox
FROM unnest($1::text[]) WITH ORDINALITY AS asked (account_id, place)
LEFT JOIN ledger.heads USING (account_id)
LEFT JOIN ledger.outbox_heads USING (account_id)
ORDER BY place
`);
