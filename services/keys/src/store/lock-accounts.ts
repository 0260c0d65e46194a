// Locks the creation of the first account until the transaction ends: others that create one wait.

import { statement } from "@annals/postgres";

// An advisory lock, because a lock on the table requires more rights than the service has. Any constant will
// do.
export const lockAccounts = statement<[], never>(
  `/* keys.lock-accounts */
SELECT pg_advisory_xact_lock(7203114082)
`,
  { route: "local" },
);
