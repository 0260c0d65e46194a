// Guarantees: `migrate` may run any number of times and by any number of processes; it makes sure
// that the first account holds the bootstrap key, brings back no key that was revoked, and takes no
// key that could never be admitted.

import { keyHash, mintKey } from "@annals/contract";
import { schemaCheck } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { describe, expect, test } from "vitest";
import { emptyDatabase, migratedDatabase, runMigrate } from "../testing/database.ts";
import { SCHEMA } from "./migrate.ts";

const bootstrap = (database: TestDatabase, key: string) =>
  runMigrate(database.url, { ANNALS_BOOTSTRAP_KEY: key });

const accountsOf = (database: TestDatabase) =>
  database.query<{ account_id: string; name: string }>(
    "SELECT account_id, name FROM keys.accounts WHERE account_id <> 'acct_system' ORDER BY created_at",
  );

const keysOf = (database: TestDatabase) =>
  database.query<{ account_id: string; name: string; secret_sha256: Buffer; revoked_at: unknown }>(
    "SELECT account_id, name, secret_sha256, scopes, revoked_at FROM keys.api_keys ORDER BY created_at",
  );

describe("the schema", () => {
  test("twice changes nothing, several at once apply it once", async () => {
    const database = await emptyDatabase();
    await Promise.all(Array.from({ length: 4 }, () => runMigrate(database.url)));
    const applied = await database.query("SELECT * FROM keys.migrations ORDER BY name");
    expect(applied.length).toBeGreaterThan(0);
    await runMigrate(database.url);
    expect(await database.query("SELECT * FROM keys.migrations ORDER BY name")).toEqual(applied);
    expect(await accountsOf(database)).toEqual([]);
  });

  test("a migration that is not the one applied is refused, and the service is not ready", async () => {
    const { owner, service } = await migratedDatabase();
    const ready = schemaCheck(service, SCHEMA);
    expect(await ready()).toBeUndefined();
    await owner.query("UPDATE keys.migrations SET sha256 = 'other' WHERE name = '0001_keys.sql'");
    const said = "0001_keys.sql is not the file that was applied to this database";
    await expect(runMigrate(owner.url)).rejects.toThrow(said);
    expect(await ready()).toBe(said);
  });

  test("a migration that is missing is named, and the service is not ready", async () => {
    const { owner, service } = await migratedDatabase();
    await owner.query("DELETE FROM keys.migrations WHERE name = '0001_keys.sql'");
    expect(await schemaCheck(service, SCHEMA)()).toContain("lacks 0001_keys.sql");
  });
});

describe("the bootstrap key", () => {
  test("makes the first account with a key of all scopes, of which only the hash is stored", async () => {
    const database = await emptyDatabase();
    const key = mintKey("annals");
    await bootstrap(database, key);
    const accounts = await accountsOf(database);
    expect(accounts).toMatchObject([{ name: "first account" }]);
    expect(await keysOf(database)).toEqual([
      {
        account_id: accounts[0]?.account_id,
        name: "bootstrap key",
        secret_sha256: keyHash(key),
        scopes: ["events:read", "events:write", "verify", "export", "keys:manage"],
        revoked_at: null,
      },
    ]);
    const rows = await database.query("SELECT api_keys::text AS row FROM keys.api_keys");
    expect(JSON.stringify(rows)).not.toContain(key.slice(14));
  });

  test("that is known changes nothing", async () => {
    const database = await emptyDatabase();
    const key = mintKey("annals");
    await bootstrap(database, key);
    const before = await keysOf(database);
    await bootstrap(database, key);
    expect(await keysOf(database)).toEqual(before);
    expect(await accountsOf(database)).toHaveLength(1);
  });

  test("that was revoked stays revoked", async () => {
    const database = await emptyDatabase();
    const key = mintKey("annals");
    await bootstrap(database, key);
    await database.query("UPDATE keys.api_keys SET revoked_at = '2026-01-01T00:00:00.000000Z'");
    await bootstrap(database, key);
    expect(await keysOf(database)).toMatchObject([{ revoked_at: "2026-01-01T00:00:00.000000Z" }]);
  });

  test("that is another one becomes a second key of the first account", async () => {
    const database = await emptyDatabase();
    await bootstrap(database, mintKey("annals"));
    const second = mintKey("annals");
    await bootstrap(database, second);
    const [account, ...others] = await accountsOf(database);
    expect(others).toEqual([]);
    const keys = await keysOf(database);
    expect(keys).toHaveLength(2);
    expect(keys.every(({ account_id }) => account_id === account?.account_id)).toBe(true);
    expect(keys.some(({ secret_sha256 }) => secret_sha256.equals(keyHash(second)))).toBe(true);
  });

  test("given to several processes at once makes one account and one key", async () => {
    const database = await emptyDatabase();
    const key = mintKey("annals");
    await Promise.all(Array.from({ length: 4 }, () => bootstrap(database, key)));
    expect(await accountsOf(database)).toHaveLength(1);
    expect(await keysOf(database)).toHaveLength(1);
  });

  test("may be one that an operator made up, with the prefix of the settings", async () => {
    const database = await emptyDatabase();
    await bootstrap(database, "annals_sk_0123456789abcdef");
    await runMigrate(database.url, {
      ANNALS_BOOTSTRAP_KEY: "acme_sk_0123456789abcdef",
      ANNALS_KEY_PREFIX: "acme",
    });
    expect(await keysOf(database)).toHaveLength(2);
  });

  test.each([
    ["too short", "annals_sk_0123456789abcde"],
    ["too long", `annals_sk_${"a".repeat(129)}`],
    ["with another prefix", "other_sk_0123456789abcdef"],
    ["without its marker", "annals_0123456789abcdef"],
    ["with characters that no key has", "annals_sk_0123456789abcde!"],
    ["with a wrong checksum", `${mintKey("annals").slice(0, -1)}!`.replace("!", "_")],
  ])("%s is refused before anything is done, and not repeated", async (_, key) => {
    const database = await emptyDatabase();
    const failure: unknown = await bootstrap(database, key).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "UsageError" });
    expect(String(failure)).not.toContain(key);
    const schemas = "SELECT FROM pg_namespace WHERE nspname = 'keys'";
    expect(await database.query(schemas)).toEqual([]);
  });
});
