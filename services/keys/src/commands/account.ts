// Makes accounts, each with its first key. Used by the operator's commands and by tests; never
// reachable over RPC or HTTP, for the interface has no way to make an account.

import { newId, SCOPES } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { type KeyMaker, newApiKey } from "../domain/new-api-key.ts";
import { createAccount as createAccountStatement } from "../store/create-account.ts";
import { createApiKey } from "../store/create-api-key.ts";

export interface NewAccount {
  readonly accountId: string;
  readonly keyId: string;
  /** The first key in full, with all scopes. Shown once. */
  readonly key: string;
}

/** Stores an account and its first key. Call it in a transaction: neither is of use without the other. */
export async function createAccount(
  transaction: Database,
  maker: KeyMaker,
  account: {
    readonly name: string;
    readonly keyName: string;
    readonly secret?: string;
    /** Absent: the default plan. */
    readonly plan?: string;
  },
): Promise<NewAccount> {
  const accountId = newId("acct", maker.random);
  await transaction.run(createAccountStatement, [
    accountId,
    account.name,
    maker.clock.nowText(),
    account.plan ?? null,
  ]);
  return addKey(transaction, maker, { accountId, ...account });
}

/** Stores a key with all scopes in an account that exists. */
export async function addKey(
  database: Database,
  maker: KeyMaker,
  asked: { readonly accountId: string; readonly keyName: string; readonly secret?: string },
): Promise<NewAccount> {
  const apiKey = newApiKey(maker, {
    name: asked.keyName,
    scopes: SCOPES,
    ...(asked.secret !== undefined && { secret: asked.secret }),
  });
  await database.run(createApiKey, [
    asked.accountId,
    apiKey.id,
    apiKey.name,
    apiKey.keyPrefix,
    apiKey.secretSha256,
    apiKey.scopes,
    apiKey.createdAt,
    apiKey.isMinted,
  ]);
  return { accountId: asked.accountId, keyId: apiKey.id, key: apiKey.secret };
}
