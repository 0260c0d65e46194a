// Tables of the chain that may show readers something other than what they hold: views, and tables with row
// security or rules. Only the owner of the schema can make them so.

import { statement } from "@annals/postgres";

export const findAlteredTables = statement<[], { readonly name: string }>(
  `/* ledger.find-altered-tables */
SELECT relname AS name FROM pg_catalog.pg_class
WHERE relnamespace = 'ledger'::regnamespace
  AND relname IN ('events', 'heads', 'segments', 'blocks', 'unindexed', 'lifecycles', 'holds')
  AND (relkind NOT IN ('r', 'p') OR relrowsecurity OR relhasrules)
ORDER BY relname
`,
  { route: "local" },
);
