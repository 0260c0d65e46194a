// Accounts and keys for tests, made straight in the database: as many as a test wants, each with a
// rate window of its own.

import {
  keyHash,
  keyPrefix,
  mintKey,
  newId,
  orderedScopes,
  SCOPES,
  type Scope,
} from "@annals/contract";
import pg from "pg";
import { HttpClient } from "./http-client.ts";

export interface TestAccount {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** Makes an account and a key with the given scopes (by default all five). */
export async function newAccount(
  databaseUrl: string,
  scopes: readonly Scope[] = SCOPES,
): Promise<TestAccount> {
  const accountId = newId("acct");
  await run(
    databaseUrl,
    "INSERT INTO keys.accounts (account_id, name, created_at) VALUES ($1, 'test', $2)",
    [accountId, new Date().toISOString()],
  );
  return newKey(databaseUrl, accountId, scopes);
}

/** A new account, with a client of the first gateway that has its key. */
export async function newClient(
  stack: { readonly databaseUrl: string } & (
    | { readonly baseUrl: string }
    | { readonly baseUrls: readonly string[] }
  ),
  scopes: readonly Scope[] = SCOPES,
): Promise<TestAccount & { readonly client: HttpClient }> {
  const account = await newAccount(stack.databaseUrl, scopes);
  const baseUrl = "baseUrl" in stack ? stack.baseUrl : (stack.baseUrls[0] ?? "");
  return { ...account, client: new HttpClient(baseUrl, account.key) };
}

/** Makes one more key for an account. */
export async function newKey(
  databaseUrl: string,
  accountId: string,
  scopes: readonly Scope[] = SCOPES,
): Promise<TestAccount> {
  const key = mintKey("annals");
  const keyId = newId("key");
  await run(
    databaseUrl,
    `INSERT INTO keys.api_keys (account_id, id, name, key_prefix, secret_sha256, scopes, created_at)
     VALUES ($1, $2, 'test', $3, $4, $5, $6)`,
    [
      accountId,
      keyId,
      keyPrefix(key),
      keyHash(key),
      orderedScopes(scopes),
      new Date().toISOString(),
    ],
  );
  return { accountId, keyId, key };
}

async function run(databaseUrl: string, text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}
