// The command `migrate`: brings the schema up to this release and, if ANNALS_BOOTSTRAP_KEY is set,
// makes sure that the first account holds that key. Run again, it changes nothing.

import type { MigrateContext } from "@annals/chassis";
import { UsageError } from "@annals/cli";
import { isPlausibleKey, keyHash } from "@annals/contract";
import { migrateSchema } from "@annals/postgres";
import { fileURLToPath } from "node:url";
import type { SETTINGS } from "../config.ts";
import { findBootstrap } from "../store/find-bootstrap.ts";
import { keepSecret } from "../store/keep-secret.ts";
import { lockAccounts } from "../store/lock-accounts.ts";
import { addKey, createAccount } from "../accounts/account.ts";
import { type Opened, withDatabase } from "./open.ts";

export const SCHEMA = {
  schema: "keys",
  directory: fileURLToPath(new URL("../../migrations", import.meta.url)),
};

export async function migrate(context: MigrateContext<typeof SETTINGS>): Promise<void> {
  const { config, log } = context;
  const { bootstrapKey } = config;
  if (bootstrapKey !== undefined) checkBootstrapKey(bootstrapKey, config.keyPrefix);
  await migrateSchema(context, SCHEMA);
  if (bootstrapKey !== undefined) {
    await withDatabase(config, log, (opened) => ensureFirstKey(opened, bootstrapKey));
  }
}

/**
 * Stores `secret` as a key of the oldest account, making that account if none exists. A known
 * secret is left.
 */
async function ensureFirstKey({ database, ...maker }: Opened, secret: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.run(lockAccounts, []);
    await transaction.run(keepSecret, [keyHash(secret)]);
    const [found] = await transaction.run(findBootstrap, [keyHash(secret)]);
    if (!found || found.secret_is_known) return;
    const key = { keyName: "bootstrap key", secret };
    await (found.first_account_id === null
      ? createAccount(transaction, maker, { name: "first account", ...key })
      : addKey(transaction, maker, { accountId: found.first_account_id, ...key }));
  });
}

function checkBootstrapKey(key: string, prefix: string): void {
  if (!isPlausibleKey(key) || !key.startsWith(`${prefix}_sk_`)) {
    throw new UsageError(
      `ANNALS_BOOTSTRAP_KEY must be \`${prefix}_sk_\` and 16 to 128 letters, digits, - or _; ` +
        "a key of 46 characters must have a valid checksum",
    );
  }
}
