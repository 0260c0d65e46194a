// Lets one transaction at a time create an export of an account, take one or reserve bytes for one, so that
// counts and sums are exact.

import { statement } from "@annals/postgres";

// An advisory lock, because there is no row to lock before the first export.
export const lockAccount = statement<[accountId: string], never>(
  `/* exports.lock-account */
SELECT pg_advisory_xact_lock(hashtextextended('annals.exports ' || $1::text, 0))
`,
  { route: "local" },
);
