// Creates the head of a chain that has no head yet. Of concurrent callers one creates it; the others wait for
// its transaction and change nothing.

import { statement } from "@annals/postgres";

export const createHead = statement<[accountId: string], never>(
  `/* ledger.create-head */
INSERT INTO ledger.heads (account_id, sequence_number, hash)
VALUES ($1::text, 0, decode(repeat('00', 32), 'hex'))
ON CONFLICT (account_id) DO NOTHING
`,
  { route: "one account" },
);
