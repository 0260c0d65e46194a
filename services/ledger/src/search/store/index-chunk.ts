// Adds a chunk of a chain to the filter index, by a call of the function ledger.index_chunk, if the previous
// chunk is indexed and every sequence number of the chunk is stored. If another replica indexes the same
// chunk at the same time, only one of them adds it.

import { statement } from "@annals/postgres";

type Params = [accountId: string, chunk: string];

export const indexChunk = statement<Params, { readonly added: boolean }>(
  `/* ledger.index-chunk */
SELECT ledger.index_chunk($1::text, $2::bigint) AS added
`,
  { route: "one account" },
);
