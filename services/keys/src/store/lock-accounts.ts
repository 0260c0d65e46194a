// Makes whoever else would make the first account wait until this transaction ends.

import { statement } from "@annals/postgres";

// An advisory lock, because a lock on the table asks for more rights than the service has. Any
// constant serves.
export const lockAccounts = statement<[], never>(`/* keys.lock-accounts */
SELECT pg_advisory_xact_lock(7203114082)
`);
