// What a first start needs to know: the oldest account but the system's, and whether a secret was ever
// stored (a revoked one counts: a restart must not bring it back).

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { statement } from "@annals/postgres";

export interface BootstrapRow {
  readonly first_account_id: string | null;
  readonly secret_is_known: boolean;
}

export const findBootstrap = statement<[secretSha256: Uint8Array], BootstrapRow>(
  `/* keys.find-bootstrap */
SELECT
  (SELECT account_id FROM keys.accounts
    WHERE account_id <> '${SYSTEM_ACCOUNT_ID}'
    ORDER BY created_at, account_id LIMIT 1) AS first_account_id,
  EXISTS (SELECT FROM keys.api_keys WHERE secret_sha256 = $1::bytea) AS secret_is_known
`,
  { route: "local" },
);
