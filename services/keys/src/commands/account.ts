// Makes accounts, each with its first key. Used by the operator's commands and by tests; never
// reachable over RPC or HTTP, for the interface has no way to make an account.

import { newId, type Scope, SCOPES, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { accountChanged, keyCreated, OPERATOR } from "../domain/audit-entries.ts";
import { type KeyMaker, newApiKey } from "../domain/new-api-key.ts";
import { AUDIT } from "../store/audit.ts";
import { createAccount as createAccountStatement } from "../store/create-account.ts";
import { createApiKey } from "../store/create-api-key.ts";

/** Of a key of the system account, whose chain nobody may write to. */
const READING: readonly Scope[] = ["events:read", "verify", "export"];

export interface NewAccount {
  readonly accountId: string;
  readonly keyId: string;
  /** The first key in full. Shown once. */
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
  const { name, plan = null } = account;
  const createdAt = maker.clock.nowText();
  await transaction.run(createAccountStatement, [accountId, name, createdAt, plan]);
  const created = { metadata: { name, plan } };
  await AUDIT.add(
    transaction,
    accountChanged(accountId, "annals.account.created", createdAt, created),
  );
  return addKey(transaction, maker, { accountId, ...account });
}

/**
 * Stores a key in an account that exists: with all scopes, or of the system account with those that read.
 * Call it in a transaction.
 */
export async function addKey(
  transaction: Database,
  maker: KeyMaker,
  asked: { readonly accountId: string; readonly keyName: string; readonly secret?: string },
): Promise<NewAccount> {
  const apiKey = newApiKey(maker, {
    name: asked.keyName,
    scopes: asked.accountId === SYSTEM_ACCOUNT_ID ? READING : SCOPES,
    ...(asked.secret !== undefined && { secret: asked.secret }),
  });
  await transaction.run(createApiKey, [
    asked.accountId,
    apiKey.id,
    apiKey.name,
    apiKey.keyPrefix,
    apiKey.secretSha256,
    apiKey.scopes,
    apiKey.createdAt,
    apiKey.isMinted,
    null,
  ]);
  await AUDIT.add(transaction, keyCreated(asked.accountId, OPERATOR, apiKey));
  return { accountId: asked.accountId, keyId: apiKey.id, key: apiKey.secret };
}
