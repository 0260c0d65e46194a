// CreateApiKey: mints a key and stores its hash (interface 5). The secret leaves in this response and
// nowhere else.

import { AnnalsError, complete, internal } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { keyCreated } from "../../accounts/rules/audit-entries.ts";
import { type KeyMaker, newApiKey } from "../rules/new-api-key.ts";
import type { Plans } from "../../accounts/rules/plan.ts";
import { AUDIT } from "../../store/audit.ts";
import { countApiKeys } from "../store/count-api-keys.ts";
import { createApiKey as createApiKeyStatement } from "../../store/create-api-key.ts";
import { lockAccount } from "../../store/lock-account.ts";

interface Deps extends KeyMaker {
  readonly database: Pool;
  readonly plans: Plans;
}

export function createApiKey(deps: Deps): ServiceImpl<typeof KeysService>["createApiKey"] {
  return async ({ accountId, allowedIps, expiresAt, name, scopes }, context) => {
    const actor = actorOf(context);
    complete({ account_id: accountId, name });
    const { secret, secretSha256, isMinted, ...apiKey } = newApiKey(deps, {
      name,
      scopes,
      expiresAt: expiresAt || undefined,
      allowedIps: allowedIps.length > 0 ? allowedIps : undefined,
    });
    await deps.database.forAccount(accountId).transaction(async (transaction) => {
      await requireRoom(transaction, deps.plans, accountId);
      await transaction.run(createApiKeyStatement, [
        accountId,
        apiKey.id,
        apiKey.name,
        apiKey.keyPrefix,
        secretSha256,
        apiKey.scopes,
        apiKey.createdAt,
        isMinted,
        actor.id ?? null,
        apiKey.expiresAt,
        apiKey.allowedIps,
      ]);
      await AUDIT.add(transaction, keyCreated(accountId, actor, apiKey));
    });
    const shown = {
      ...apiKey,
      scopes: [...apiKey.scopes],
      expiresAt: apiKey.expiresAt ?? "",
      allowedIps: [...(apiKey.allowedIps ?? [])],
    };
    return { apiKey: shown, secret };
  };
}

/**
 * Locks the account, so that of any number of creations at a time none sees a count that another is about
 * to change.
 */
async function requireRoom(transaction: Database, plans: Plans, accountId: string): Promise<void> {
  const [account] = await transaction.run(lockAccount, [accountId]);
  if (!account) throw internal(`account ${accountId} does not exist`);
  const { maxKeys, name } = plans.of(account.plan);
  const [count] = await transaction.run(countApiKeys, [accountId]);
  if (Number(count?.live_keys ?? 0) < maxKeys) return;
  throw new AnnalsError(
    "plan_count_exceeded",
    `The plan ${name} allows ${maxKeys} API keys, and the account has as many. Delete one first.`,
  );
}
