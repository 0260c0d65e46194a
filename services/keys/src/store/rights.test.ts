// Guarantees: the role that the service works with can do what its statements do and nothing else. It can
// neither delete an account or a live key, nor change what a key may do or whose it is, nor bring a key back
// under another secret.

import { type Pool, statement } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratedDatabase, storeKey } from "../testing/database.ts";

/** PostgreSQL's insufficient_privilege. */
const FORBIDDEN = { code: "42501" };

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
  await storeKey(service);
});

describe("the service's role cannot", () => {
  test.each([
    ["delete a live key", "DELETE FROM keys.api_keys"],
    ["delete an account", "DELETE FROM keys.accounts"],
    ["empty a table", "TRUNCATE keys.rate_windows"],
    ["delete the window of an account", "DELETE FROM keys.account_windows"],
    ["change what a request asked for", "UPDATE keys.accounts SET request_sha256 = NULL"],
    ["change the scopes of a key", "UPDATE keys.api_keys SET scopes = '{keys:manage}'"],
    ["change the secret of a key", "UPDATE keys.api_keys SET secret_sha256 = sha256('x')"],
    ["change the shown prefix", "UPDATE keys.api_keys SET key_prefix = 'x'"],
    ["change the id of a key", "UPDATE keys.api_keys SET id = 'x'"],
    ["give a key to another account", "UPDATE keys.api_keys SET account_id = 'x'"],
    ["change when a key was made", "UPDATE keys.api_keys SET created_at = 'x'"],
    ["change what a widget token may see", "UPDATE keys.widget_tokens SET filter = ''"],
    ["let a widget token live on", "UPDATE keys.widget_tokens SET expires_at = '9'"],
    ["make someone of a person", "UPDATE keys.people SET subject = 'x'"],
    ["give a person another issuer", "UPDATE keys.people SET issuer = 'x'"],
    ["give a session to another person", "UPDATE keys.sessions SET person_id = 'x'"],
    ["let a session live on", "UPDATE keys.sessions SET expires_at = 'infinity'"],
    ["make an operator's session of one", "UPDATE keys.sessions SET realm = 'operator'"],
    ["change what a mapping gives", "UPDATE keys.role_mappings SET role = 'manager'"],
    ["change what a workload may do", "UPDATE keys.workloads SET scopes = '{keys:manage}'"],
    ["give a token to another account", "UPDATE keys.access_tokens SET account_id = 'x'"],
    ["let a state be used again", "UPDATE keys.used_tokens SET expires_at = now()"],
    ["forget a head that was signed", "DELETE FROM keys.signed_heads"],
    ["forget a key that has signed", "DELETE FROM keys.log_keys"],
    ["change when a key has first signed", "UPDATE keys.log_keys SET first_used_at = now()"],
    ["change the id of an account", "UPDATE keys.accounts SET account_id = 'x'"],
    ["say that a migration was applied", "INSERT INTO keys.migrations VALUES ('x', 'x')"],
    ["make a table in its schema", "CREATE TABLE keys.mine (n int)"],
    ["change a table", "ALTER TABLE keys.api_keys ADD COLUMN n int"],
    ["make a role", "CREATE ROLE annals_mine"],
  ])("%s", async (_, text) => {
    const once = { route: "local", customPlan: true } as const;
    const forbidden = statement<[], never>(`/* keys.forbidden */ ${text}`, once);
    await expect(service.run(forbidden, [])).rejects.toMatchObject(FORBIDDEN);
  });
});

test("the database itself takes no key without scopes and no hash of another length", async () => {
  const { accountId } = await storeKey(service);
  await expect(storeKey(service, { accountId, scopes: [] })).rejects.toMatchObject({
    constraint: "api_keys_scopes_check",
  });
  await expect(
    owner.query(
      `INSERT INTO keys.api_keys (account_id, id, name, key_prefix, secret_sha256, scopes, created_at)
       VALUES ($1, 'k', 'n', 'p', '\\x00', '{verify}', 't')`,
      [accountId],
    ),
  ).rejects.toMatchObject({ constraint: "api_keys_secret_sha256_check" });
});

test("a key needs an account that exists", async () => {
  await expect(storeKey(service, { accountId: "acct_none" })).rejects.toMatchObject({
    constraint: "api_keys_account_id_fkey",
  });
});
