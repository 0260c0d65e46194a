// CreateApiKey: mints a key and stores its hash (interface 5). The secret leaves in this response and
// nowhere else: a retry with the same idempotency key gets the key without it.

import { AnnalsError, complete, internal } from "@annals/errors";
import { type Database, earlierResponse, keepResponse, type Pool } from "@annals/postgres";
import { ApiKeySchema, type KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { keyCreated } from "../../accounts/rules/audit-entries.ts";
import { type KeyMaker, newApiKey } from "../rules/new-api-key.ts";
import type { Plan, Plans } from "../../accounts/rules/plan.ts";
import { AUDIT } from "../../store/audit.ts";
import { REQUESTS } from "../../store/requests.ts";
import { countApiKeys } from "../store/count-api-keys.ts";
import { createApiKey as createApiKeyStatement } from "../../store/create-api-key.ts";
import { lockAccount } from "../../store/lock-account.ts";

interface Deps extends KeyMaker {
  readonly database: Pool;
  readonly idempotencyHours: number;
  readonly plans: Plans;
}

export function createApiKey(deps: Deps): ServiceImpl<typeof KeysService>["createApiKey"] {
  const { database, idempotencyHours, plans } = deps;
  const kept = { idempotencyHours, operation: "create-api-key", requests: REQUESTS };
  return async (request, context) => {
    const { accountId, allowedIps, expiresAt, name, scopes } = request;
    const actor = actorOf(context);
    complete({ account_id: accountId, name });
    return database.forAccount(accountId).transaction(async (transaction) => {
      const plan = await lockedPlan(transaction, plans, accountId);
      const earlier = await earlierResponse(transaction, kept, request);
      if (earlier) return { apiKey: fromBinary(ApiKeySchema, earlier), secret: "", replayed: true };
      await requireRoom(transaction, plan, accountId);
      const { secret, secretSha256, isMinted, ...apiKey } = newApiKey(deps, {
        name,
        scopes,
        expiresAt: expiresAt || undefined,
        allowedIps: allowedIps.length > 0 ? allowedIps : undefined,
      });
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
      const shown = create(ApiKeySchema, {
        ...apiKey,
        scopes: [...apiKey.scopes],
        expiresAt: apiKey.expiresAt ?? "",
        allowedIps: [...(apiKey.allowedIps ?? [])],
      });
      await keepResponse(transaction, kept, request, toBinary(ApiKeySchema, shown));
      return { apiKey: shown, secret };
    });
  };
}

/**
 * Locks the account, so that of any number of creations at a time none sees a count, or misses an idempotency
 * key, that another is about to change.
 */
async function lockedPlan(transaction: Database, plans: Plans, accountId: string): Promise<Plan> {
  const [account] = await transaction.run(lockAccount, [accountId]);
  if (!account) throw internal(`account ${accountId} does not exist`);
  return plans.of(account.plan);
}

async function requireRoom(
  transaction: Database,
  { maxKeys, name }: Plan,
  accountId: string,
): Promise<void> {
  const [count] = await transaction.run(countApiKeys, [accountId]);
  if (Number(count?.live_keys ?? 0) < maxKeys) return;
  throw new AnnalsError(
    "plan_count_exceeded",
    `The plan ${name} allows ${maxKeys} API keys, and the account has as many. Delete one first.`,
  );
}
