// Puts off the end of a session that is in use. No row: it has ended.

import { statement } from "@annals/postgres";

type Params = [id: string, idleMinutes: number];

export const useSession = statement<Params, { readonly id: string }>(
  `/* keys.use-session */
UPDATE keys.sessions SET idle_at = clock_timestamp() + make_interval(mins => $2::integer)
WHERE id = $1::text AND least(idle_at, expires_at) > clock_timestamp()
RETURNING id
`,
  { route: "local" },
);
