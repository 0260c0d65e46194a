// The verb `rotate-secrets`: seals all signing secrets with the first key of the key file. The services run
// on meanwhile. When it is done and every replica has the new file, the other keys may be deleted from it.

import type { VerbContext } from "@annals/chassis";
import { createPool, type Database } from "@annals/postgres";
import { randomBytes } from "node:crypto";
import type { SETTINGS } from "../config.ts";
import type { SecretKeys } from "../domain/secret-keys.ts";
import { listSealedByOthers, replaceSecret } from "../store/reseal-secrets.ts";
import { readSecretKeys } from "./secret-key-file.ts";

/** The role that 0001_webhooks.sql creates. */
export const ROLE = "annals_webhooks";

const BATCH = 500;

export async function rotateSecrets({ config, log }: VerbContext<typeof SETTINGS>): Promise<void> {
  const keys = await readSecretKeys(config.secretKeyFile);
  const database = createPool({
    connectionString: config.databaseUrl,
    role: ROLE,
    applicationName: "annals-webhook-dispatcher-command",
    maxConnections: 1,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    log,
  });
  try {
    const resealed = await resealAll(database, keys);
    log.info({ resealed, key_id: keys.sealingKeyId }, "secrets resealed");
  } finally {
    await database.close();
  }
}

/** Resolves to the number of secrets that were sealed again. Rejects at the first that no key opens. */
export async function resealAll(database: Database, keys: SecretKeys): Promise<number> {
  let resealed = 0;
  let after: [string, string, boolean] = ["", "", false];
  for (;;) {
    const rows = await database.run(listSealedByOthers, [keys.sealingKeyId, BATCH, ...after]);
    for (const { account_id: accountId, id, secret_key_id: keyId, secret_sealed: bytes } of rows) {
      const owner = { accountId, webhookId: id };
      const sealed = keys.seal(keys.open({ keyId, bytes }, owner), owner, randomBytes);
      const params = [accountId, id, bytes, sealed.keyId, sealed.bytes] as const;
      resealed += (await database.run(replaceSecret, [...params])).length;
    }
    const last = rows.at(-1);
    if (!last) return resealed;
    after = [last.account_id, last.id, last.is_previous];
  }
}
