// An operator's mistake with plans is reported before it has an effect: a file with faults keeps the service
// from starting, an account whose plan the file lacks keeps it from becoming ready, and a command refuses a
// plan that is not there. What a newer file has added does not stop replicas that run.

import { ConfigError } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plansCheck, readPlans } from "./plans-file.ts";
import { migratedDatabase, runCommand } from "../testing/database.ts";

const PLANS = { plans: { free: { max_keys: 2 }, team: {} }, default: "free" };

let owner: TestDatabase;
let pool: Pool;
let folder: string;
let file: string;

beforeAll(async () => {
  ({ owner, service: pool } = await migratedDatabase(afterAll));
  folder = await mkdtemp(join(tmpdir(), "annals-plans-"));
  file = join(folder, "plans.json");
});
beforeEach(async () => {
  await writeFile(file, JSON.stringify(PLANS));
  await owner.query("TRUNCATE keys.accounts CASCADE");
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Runs a command of the service. */
const keys = (words: readonly string[], plansFile = file) =>
  runCommand(owner.url, words, {
    ANNALS_PLANS_FILE: plansFile,
    ANNALS_PORT: "0",
    ANNALS_ADMIN_PORT: "0",
  });

async function accountWithPlan(plan: string | null): Promise<string> {
  const id = `acct_${plan ?? "none"}`;
  await owner.query(
    "INSERT INTO keys.accounts (account_id, name, created_at, plan) VALUES ($1, 'test', '2026', $2)",
    [id, plan],
  );
  return id;
}

describe("the file", () => {
  test("is read, and left out it limits nothing", async () => {
    expect((await readPlans(file)).names).toEqual(["free", "team"]);
    expect((await readPlans(undefined)).names).toEqual(["unlimited"]);
  });

  test("with faults, or missing, keeps the service from starting", async () => {
    await writeFile(file, JSON.stringify({ plans: { free: { max: 1 } }, default: "team" }));
    await expect(readPlans(file)).rejects.toThrow(ConfigError);
    const { status, stderr } = await keys(["serve"]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        `ANNALS_PLANS_FILE (${file}) is not valid:\n` +
        '  plans.free: "max" is unknown: ' +
        "it may contain archive, archive_days, events_exported_per_day, events_replayed_per_day, " +
        "features_left_out, intake_requests_per_minute, max_export_bytes, max_keys, " +
        "max_search_fields, max_sinks, max_webhooks, max_widget_tokens, min_retention_days, monthly_events, requests_per_minute, " +
        "retention_days\n" +
        "  default: must be the name of one of the plans\n",
    });
    const missing = await keys(["serve"], join(folder, "missing.json"));
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain("ANNALS_PLANS_FILE cannot be read");
  });
});

describe("readiness", () => {
  test("waits while an account has a plan that the file lacks, and names it", async () => {
    await accountWithPlan("team");
    await accountWithPlan(null);
    const id = await accountWithPlan("gold");
    const check = plansCheck(pool, await readPlans(file));
    const said = "accounts have plans that ANNALS_PLANS_FILE does not name: gold (accounts: 1)";
    expect(await check()).toBe(said);
    expect(await check()).toBe(said);
    await owner.query("UPDATE keys.accounts SET plan = 'free' WHERE account_id = $1", [id]);
    expect(await check()).toBeUndefined();
  });

  test("is not lost to a plan of a newer file", async () => {
    const check = plansCheck(pool, await readPlans(file));
    expect(await check()).toBeUndefined();
    await accountWithPlan("gold");
    expect(await check()).toBeUndefined();
  });
});

describe("the command", () => {
  test("makes accounts with a plan, changes it, takes it away, and lists it", async () => {
    const made = await keys(["accounts", "create", "--name", "Acme", "--plan", "team"]);
    expect(made.status).toBe(0);
    const id = /^account (acct_\w+)$/m.exec(made.stdout)?.[1] ?? "";
    const listed = async () =>
      (await keys(["accounts", "list"])).stdout.trim().split("\t").slice(2);
    expect(await listed()).toEqual(["1 keys", "team", "Acme"]);
    const set = await keys(["accounts", "set-plan", "--account", id, "--plan", "free"]);
    expect(set).toEqual({ status: 0, stdout: `account ${id}\nplan free\n`, stderr: "" });
    expect(await listed()).toEqual(["1 keys", "free", "Acme"]);
    const taken = await keys(["accounts", "set-plan", "--account", id]);
    expect(taken.stdout).toBe(`account ${id}\nplan (default)\n`);
    expect(await listed()).toEqual(["1 keys", "(default)", "Acme"]);
  });

  test.for([
    [["accounts", "create", "--name", "Acme", "--plan", "gold"], 'unknown plan "gold"'],
    [["accounts", "set-plan", "--account", "acct_x", "--plan", "gold"], "free, team"],
    [["accounts", "set-plan", "--account", "acct_x"], 'No account has the id "acct_x"'],
    [["accounts", "set-plan", "--plan", "free"], "--account is required"],
    [["accounts", "create"], "--name is required"],
    [["accounts", "create", "--name", "a", "--plans", "free"], "Usage: annals accounts create"],
    [["accounts", "list", "all"], "Usage: annals accounts list"],
    [["accounts"], "Usage: annals accounts create"],
  ] as const)("%j is refused and changes nothing", async ([words, said]) => {
    const { status, stdout, stderr } = await keys(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(said);
    expect(await owner.query("SELECT FROM keys.accounts")).toEqual([]);
  });
});
