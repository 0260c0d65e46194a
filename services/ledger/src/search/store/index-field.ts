// Moves the backfill of a declared field on, by calls of ledger.index_field, and takes a deleted one out of
// the index, by calls of ledger.forget_field. Called by worker/field-index.ts.

import { statement } from "@annals/postgres";

type Params = [accountId: string, field: number];

/** False once nothing is left to do. */
interface Row {
  readonly is_more: boolean;
}

export const indexField = statement<Params, Row>(
  `/* ledger.index-field */
SELECT ledger.index_field($1::text COLLATE "C", $2::smallint) AS is_more
`,
  { route: "one account" },
);

export const forgetField = statement<Params, Row>(
  `/* ledger.forget-field */
SELECT ledger.forget_field($1::text COLLATE "C", $2::smallint) AS is_more
`,
  { route: "one account" },
);
