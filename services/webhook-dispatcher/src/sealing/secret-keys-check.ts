// Readiness check: the file has a key for every sealed secret. Called by the admin server. Without this
// check, a replica with an old key file would claim deliveries that it cannot sign. It must never fail again
// because one of several servers is away: the accounts of the others would lose the dispatcher.

import type { ReadinessCheck } from "@annals/chassis";
import { type Database, isDistributed } from "@annals/postgres";
import type { SecretKeys } from "./rules/secret-keys.ts";
import { listUnknownKeyIds } from "./store/list-unknown-key-ids.ts";
import { listUnknownSinkKeyIds } from "../sinks/exports.ts";

export function secretKeysCheck(database: Database, keys: SecretKeys): ReadinessCheck {
  let hasPassed = false;
  const findUnknown = async () => {
    try {
      const params: [readonly string[]] = [keys.keyIds];
      const ofWebhooks = await database.run(listUnknownKeyIds, params);
      return [...ofWebhooks, ...(await database.run(listUnknownSinkKeyIds, params))];
    } catch (error) {
      if (hasPassed && (await isDistributed(database))) return [];
      throw error;
    }
  };
  return async () => {
    const [row] = await findUnknown();
    hasPassed ||= row === undefined;
    return row && `the key file lacks ${row.secret_key_id}, which has sealed signing secrets`;
  };
}
