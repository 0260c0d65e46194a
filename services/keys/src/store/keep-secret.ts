// Records that an operator gave a secret: its key, and with it its revocation, is never deleted.

import { statement } from "@annals/postgres";

export const keepSecret = statement<[secretSha256: Uint8Array], never>(
  `/* keys.keep-secret */
UPDATE keys.api_keys SET is_minted = false WHERE secret_sha256 = $1::bytea AND is_minted
`,
  { route: "local" },
);
