// Makes the filter index, by calls of ledger.index_segment and ledger.seal_segment. If another replica does
// the same at the same time, only one of them does it. Called by worker/filter-index.ts.

import { statement } from "@annals/postgres";

type Params = [accountId: string, base: number];

/** Adds a fresh segment, if the previous one is indexed and every sequence number of it is stored. */
export const indexSegment = statement<Params, { readonly is_done: boolean }>(
  `/* ledger.index-segment */
SELECT ledger.index_segment($1::text COLLATE "C", $2::bigint) AS is_done
`,
  { route: "one account" },
);

/** Makes a sealed segment of 16 fresh ones. */
export const sealSegment = statement<Params, { readonly is_done: boolean }>(
  `/* ledger.seal-segment */
SELECT ledger.seal_segment($1::text COLLATE "C", $2::bigint) AS is_done
`,
  { route: "one account" },
);
