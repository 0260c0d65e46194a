// Replaces the secret of a session's cookie, which stays known as the previous one. No row: another request
// has replaced it, or the session has ended.

import { statement } from "@annals/postgres";

type Params = [id: string, secretSha256: Uint8Array, newSecretSha256: Uint8Array];

export const replaceSessionSecret = statement<Params, { readonly id: string }>(
  `/* keys.replace-session-secret */
UPDATE keys.sessions SET
  secret_sha256 = $3::bytea, previous_sha256 = secret_sha256, rotated_at = clock_timestamp()
WHERE id = $1::text AND secret_sha256 = $2::bytea
RETURNING id
`,
  { route: "local" },
);
