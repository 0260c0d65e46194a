// The command `annals webhooks rotate-sealing-key`: seals all signing secrets, and the configurations of all
// sinks, with the first key of the key file. The services keep running meanwhile. When it is done and every
// replica has the new file, the other keys may be deleted from it.

import type { CommandContext } from "@annals/chassis";
import { command } from "@annals/cli";
import { type Database, withCommandPool } from "@annals/postgres";
import { randomBytes } from "node:crypto";
import { type COMMAND_SETTINGS, ROLE } from "../../config.ts";
import type { SecretKeys } from "../rules/secret-keys.ts";
import { listSealedByOthers, replaceSecret } from "../store/reseal-secrets.ts";
import { resealSinks } from "../../sinks/exports.ts";
import { readSecretKeys } from "./secret-key-file.ts";

const BATCH = 500;

export const rotateSealingKey = command(
  {
    name: "webhooks rotate-sealing-key",
    summary: "Re-encrypt the secrets of webhooks and sinks with the first key of the key file",
    details: `The services may run meanwhile. Afterwards, once every replica has the file, its other keys can be deleted
(docs/operators/upkeep.md#keys-and-rotation).
Requires the ANNALS_DATABASE_URL and the ANNALS_WEBHOOK_SECRET_KEY_FILE of webhook-dispatcher.`,
    examples: ["annals webhooks rotate-sealing-key"],
  },
  async (_, { config, log }: CommandContext<typeof COMMAND_SETTINGS>) => {
    const keys = await readSecretKeys(config.secretKeyFile);
    const applicationName = "annals-webhook-dispatcher-command";
    const pool = { config, role: ROLE, applicationName, log };
    const resealed = await withCommandPool(pool, (database) => resealAll(database, keys));
    log.info({ resealed, key_id: keys.sealingKeyId }, "secrets resealed");
  },
);

/** Resolves to the number of secrets that were sealed again. Rejects at the first one that no key opens. */
export async function resealAll(database: Database, keys: SecretKeys): Promise<number> {
  return (await resealWebhooks(database, keys)) + (await resealSinks(database, keys));
}

async function resealWebhooks(database: Database, keys: SecretKeys): Promise<number> {
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
