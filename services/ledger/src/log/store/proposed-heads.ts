// The heads that change in a proposed epoch, in parts. Called by the epoch closer.

import { statement } from "@annals/postgres";

type Part = [log: number, size: string, proposal: string, part: number];

export const createProposedHeads = statement<[...Part, heads: Buffer], never>(
  `/* ledger.create-proposed-heads */
INSERT INTO ledger.proposed_heads (log, size, proposal, part, heads)
VALUES ($1::smallint, $2::bigint, $3::uuid, $4::integer, $5::bytea)
`,
  { route: "local" },
);

export const getProposedHeads = statement<Part, { readonly heads: Buffer }>(
  `/* ledger.get-proposed-heads */
SELECT heads FROM ledger.proposed_heads
WHERE log = $1::smallint AND size = $2::bigint AND proposal = $3::uuid AND part = $4::integer
`,
  { route: "local" },
);

/** Deletes what was proposed for a log before it had this size. */
export const deleteProposedHeads = statement<[log: number, size: string], never>(
  `/* ledger.delete-proposed-heads */
DELETE FROM ledger.proposed_heads WHERE log = $1::smallint AND size < $2::bigint
`,
  { route: "local" },
);
