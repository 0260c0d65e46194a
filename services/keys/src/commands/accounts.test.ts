// Guarantees: `accounts create` makes an account with a first key and shows that key this once;
// `accounts list` shows every account and no key; wrong words change nothing and end with status 2
// and the usage. The real process is run.

import { createLog, parseConfig } from "@annals/chassis";
import { isPlausibleKey, keyHash, systemClock } from "@annals/contract";
import { describe, expect, test } from "vitest";
import { SETTINGS } from "../config.ts";
import { migratedDatabase, runCommand, storeKey } from "../testing/database.ts";
import { deleteApiKey } from "../store/delete-api-key.ts";
import { accounts } from "./accounts.ts";

const MADE = /^account (acct_[0-9a-z]{26})\nkey (\S+)\n$/;

describe("accounts create", () => {
  test("makes an account and its first key, which it shows this once", async () => {
    const { owner } = await migratedDatabase();
    const { status, stdout } = await runCommand(owner.url, [
      "accounts",
      "create",
      "--name",
      " Acme ",
    ]);
    expect(status).toBe(0);
    const [, accountId, key = ""] = MADE.exec(stdout) ?? [];
    expect(isPlausibleKey(key)).toBe(true);
    const rows = await owner.query(
      `SELECT accounts.name AS account, api_keys.name AS key, scopes, secret_sha256
       FROM keys.accounts JOIN keys.api_keys USING (account_id) WHERE account_id = $1`,
      [accountId],
    );
    expect(rows).toEqual([
      {
        account: "Acme",
        key: "first key",
        scopes: ["events:read", "events:write", "verify", "export", "keys:manage"],
        secret_sha256: keyHash(key),
      },
    ]);
  });

  test("takes the key's name and the prefix of the settings; names need not be unique", async () => {
    const { owner } = await migratedDatabase();
    const words = ["accounts", "create", "--name", "Acme", "--key-name", "ops"];
    const first = await runCommand(owner.url, words, { ANNALS_KEY_PREFIX: "acme" });
    const second = await runCommand(owner.url, words);
    expect(MADE.exec(first.stdout)?.[2]).toMatch(/^acme_sk_/);
    expect(second.status).toBe(0);
    const names = await owner.query("SELECT name, key_prefix FROM keys.api_keys");
    expect(names).toHaveLength(2);
    expect(names.every(({ name }) => name === "ops")).toBe(true);
  });
});

test("accounts list shows every account, the oldest first, with its live keys and no secret", async () => {
  const { owner, service } = await migratedDatabase();
  const first = await storeKey(service);
  await storeKey(service, { accountId: first.accountId });
  const second = await storeKey(service);
  await service.run(deleteApiKey, [second.accountId, second.keyId, systemClock().nowText()]);
  const { status, stdout } = await runCommand(owner.url, ["accounts", "list"]);
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(new RegExp(`^${first.accountId}\t.*\t2 keys\t.*test$`));
  expect(lines[1]).toMatch(new RegExp(`^${second.accountId}\t.*\t0 keys\t.*test$`));
  expect(stdout).not.toContain("_sk_");
});

describe("wrong words", () => {
  test("end the process with status 2 and the usage", async () => {
    const { owner } = await migratedDatabase();
    const { status, stdout, stderr } = await runCommand(owner.url, ["accounts", "delete"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("usage: keys accounts create");
  });

  test.each([
    ["no verb", []],
    ["another verb", ["delete"]],
    ["no name", ["create"]],
    ["an empty name", ["create", "--name", "  "]],
    ["a name of 256 characters", ["create", "--name", "n".repeat(256)]],
    ["an empty name of the key", ["create", "--name", "x", "--key-name", ""]],
    ["an unknown option", ["create", "--name", "x", "--colour", "red"]],
    ["a word too many", ["create", "--name", "x", "y"]],
    ["a word after list", ["list", "all"]],
  ])("%s are refused before a database is asked", async (_, words) => {
    const nowhere = { ANNALS_DATABASE_URL: "postgresql://127.0.0.1:1/none" };
    const config = parseConfig(SETTINGS, nowhere);
    const log = createLog({ service: "test", level: "error" });
    await expect(accounts({ config, log, words })).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringContaining("usage: keys accounts create"),
    });
  });
});
