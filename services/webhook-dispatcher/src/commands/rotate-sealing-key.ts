// The verb `rotate-secrets`: seals all signing secrets with the first key of the key file. The services
// keep running meanwhile. When it is done and every replica has the new file, the other keys may be deleted
// from it.

import { UsageError, type VerbContext } from "@annals/chassis";
import { type Database, withCommandPool } from "@annals/postgres";
import { randomBytes } from "node:crypto";
import type { COMMAND_SETTINGS } from "../config.ts";
import type { SecretKeys } from "../domain/secret-keys.ts";
import { listSealedByOthers, replaceSecret } from "../store/reseal-secrets.ts";
import { readSecretKeys } from "./secret-key-file.ts";

/** The role that 0001_webhooks.sql creates. */
export const ROLE = "annals_webhooks";

const BATCH = 500;

export const ROTATE_SECRETS_HELP = `Usage: annals webhooks rotate-sealing-key

Re-encrypts all webhook signing secrets with the first key of ANNALS_WEBHOOK_SECRET_KEY_FILE while the services run.
Afterwards, once every replica has the file, the other keys can be deleted from it (docs/operators/rotation.md).

Requires the ANNALS_DATABASE_URL of webhook-dispatcher, and the file.

Example:
  annals webhooks rotate-sealing-key
`;

export async function rotateSecrets({
  config,
  log,
  words,
}: VerbContext<typeof COMMAND_SETTINGS>): Promise<void> {
  if (words.length > 0) throw new UsageError(ROTATE_SECRETS_HELP);
  const keys = await readSecretKeys(config.secretKeyFile);
  const applicationName = "annals-webhook-dispatcher-command";
  const resealed = await withCommandPool({ config, role: ROLE, applicationName, log }, (database) =>
    resealAll(database, keys),
  );
  log.info({ resealed, key_id: keys.sealingKeyId }, "secrets resealed");
}

/** Resolves to the number of secrets that were sealed again. Rejects at the first one that no key opens. */
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
