// Readiness check: the file has a key for every sealed secret. Called by the admin server. Without this
// check, a replica with an old key file would claim deliveries that it cannot sign.

import type { ReadinessCheck } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { SecretKeys } from "./domain/secret-keys.ts";
import { listUnknownKeyIds } from "./store/list-unknown-key-ids.ts";

export function secretKeysCheck(database: Database, keys: SecretKeys): ReadinessCheck {
  return async () => {
    const [row] = await database.run(listUnknownKeyIds, [keys.keyIds]);
    return row && `the key file lacks ${row.secret_key_id}, which has sealed signing secrets`;
  };
}
