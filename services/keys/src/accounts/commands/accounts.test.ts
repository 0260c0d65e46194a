// Guarantees: `accounts create` makes an account with a first key and shows that key this once;
// `accounts list` shows every account and no key; wrong arguments change nothing and end with status 2
// and the usage.

import { isPlausibleKey, keyHash, systemClock } from "@annals/contract";
import { describe, expect, test } from "vitest";
import { migratedDatabase, runCommand, storeKey } from "../../testing/database.ts";
import { deleteApiKey } from "../../store/delete-api-key.ts";
import { ACCOUNT_COMMANDS } from "./accounts.ts";

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

describe("accounts rename and add-key", () => {
  test("rename gives the account another name", async () => {
    const { owner, service } = await migratedDatabase();
    const { accountId } = await storeKey(service);
    const words = ["accounts", "rename", "--account", accountId, "--name", "Müller & Co 😀"];
    const { status, stdout } = await runCommand(owner.url, words);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `account ${accountId}\nname Müller & Co 😀\n`,
    });
    expect(
      await owner.query("SELECT name FROM keys.accounts WHERE account_id = $1", [accountId]),
    ).toEqual([{ name: "Müller & Co 😀" }]);
  });

  test("add-key makes a key with all scopes for an account without a live one, shown this once", async () => {
    const { owner, service } = await migratedDatabase();
    const { accountId, keyId } = await storeKey(service);
    await service.run(deleteApiKey, [accountId, keyId, systemClock().nowText(), null]);
    const { status, stdout } = await runCommand(owner.url, [
      "accounts",
      "add-key",
      "--account",
      accountId,
    ]);
    expect(status).toBe(0);
    const [, shown, key = ""] = MADE.exec(stdout) ?? [];
    expect(shown).toBe(accountId);
    const live = await owner.query(
      "SELECT account_id, name, cardinality(scopes) AS scopes, secret_sha256 FROM keys.api_keys WHERE revoked_at IS NULL",
    );
    expect(live).toEqual([
      { account_id: accountId, name: "operator's key", scopes: 5, secret_sha256: keyHash(key) },
    ]);
  });

  test.each([
    ["rename", "--name", "x"],
    ["add-key", "--key-name", "x"],
  ])("%s of an account that does not exist changes nothing", async (...words) => {
    const { owner } = await migratedDatabase();
    const asked = ["accounts", ...words, "--account", "acct_none"];
    const { status, stderr } = await runCommand(owner.url, asked);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'No account has the id "acct_none".\n',
    });
    expect(await owner.query("SELECT id FROM keys.api_keys")).toEqual([]);
  });
});

test("accounts top shows who had the most requests in the last minute", async () => {
  const { owner, service } = await migratedDatabase();
  const [busy, quiet, idle] = [
    await storeKey(service),
    await storeKey(service),
    await storeKey(service),
  ];
  const window = (accountId: string, key: string, used: number, secondsAgo: number) =>
    owner.query(
      `INSERT INTO keys.rate_windows VALUES ($1, $2, now() - $3::integer * interval '1 second', $4, 1)`,
      [accountId, key, secondsAgo, used],
    );
  await window(quiet.accountId, "key_1", 40, 10);
  await window(busy.accountId, "key_1", 30, 10);
  await window(busy.accountId, "key_2", 30, 50);
  await window(idle.accountId, "key_1", 99, 70);
  const { status, stdout } = await runCommand(owner.url, ["accounts", "top"]);
  expect(status).toBe(0);
  const lines = stdout.split("\n").map((line) => line.split("\t").slice(0, 2));
  expect(lines).toStrictEqual([
    [busy.accountId, "60 requests"],
    [quiet.accountId, "40 requests"],
    [""],
  ]);
});

test("accounts list shows every account, the oldest first, with its live keys and no secret", async () => {
  const { owner, service } = await migratedDatabase();
  const first = await storeKey(service);
  await storeKey(service, { accountId: first.accountId });
  const second = await storeKey(service);
  await service.run(deleteApiKey, [second.accountId, second.keyId, systemClock().nowText(), null]);
  const { status, stdout } = await runCommand(owner.url, ["accounts", "list"]);
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^acct_system\t.*\t0 keys\t.*system$/);
  expect(lines[1]).toMatch(new RegExp(`^${first.accountId}\t.*\t2 keys\t.*test$`));
  expect(lines[2]).toMatch(new RegExp(`^${second.accountId}\t.*\t0 keys\t.*test$`));
  expect(stdout).not.toContain("_sk_");
});

describe("wrong arguments", () => {
  test("end with status 2 and the usage", async () => {
    const { owner } = await migratedDatabase();
    const { status, stdout, stderr } = await runCommand(owner.url, ["accounts", "delete"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Usage: annals accounts create");
  });

  test.each([
    ["no name", "create", []],
    ["an empty name", "create", ["--name", "  "]],
    ["a name of 256 characters", "create", ["--name", "n".repeat(256)]],
    ["an empty name of the key", "create", ["--name", "x", "--key-name", ""]],
    ["a name with a line break", "create", ["--name", "a\nb"]],
    ["a name with an escape", "create", ["--name", "a\u001B[2J"]],
    ["a control character", "create", ["--name", "x", "--key-name", "\u0085"]],
    ["a new name with a control character", "rename", ["--account", "a", "--name", "a\tb"]],
    ["no account to rename", "rename", ["--name", "x"]],
    ["no account for a key", "add-key", []],
    ["an unknown scope", "add-key", ["--account", "a", "--scopes", "verify,admin"]],
    ["an unknown option", "create", ["--name", "x", "--colour", "red"]],
    ["an argument too many", "create", ["--name", "x", "y"]],
    ["an argument after list", "list", ["all"]],
    ["an argument after top", "top", ["5"]],
  ])("%s: refused before a setting is read", async (_, name, args) => {
    const command = ACCOUNT_COMMANDS.find((each) => each.name === `accounts ${name}`);
    const context = () => expect.unreachable();
    await expect(command?.run(args, context)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringContaining(`\nUsage: annals accounts ${name}`),
    });
  });
});
