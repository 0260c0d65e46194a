// A system with plans for the tests beside this file: three gateways, two keys services, two ledgers, and a
// way to give an account a plan. No webhook or export ends up anywhere: their routes are asked only for
// refusals.

import { HttpClient, newAccount, ownerOf, type TestAccount } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { startConstellation } from "./constellation.ts";

const RATE_LIMIT_PER_MINUTE = 100_000;

const FILE = {
  plans: {
    none: { features_left_out: ["webhooks", "exports", "verify", "lifecycle"] },
    small: { max_keys: 3, monthly_events: 5 },
    exact: { max_keys: 10, monthly_events: 100 },
    slow: { requests_per_minute: 40 },
    everything: {},
  },
  default: "everything",
};

export interface PlannedSystem {
  readonly baseUrls: readonly string[];
  /** A new account with one key, and a client of it at the first gateway. */
  newClient(plan?: string): Promise<{ account: TestAccount; client: HttpClient }>;
  /** Takes effect at once: nothing of a plan is kept anywhere. */
  setPlan(account: TestAccount, plan: string | null): Promise<void>;
  /** Statements with the owner's rights. */
  readonly query: ReturnType<typeof ownerOf>["query"];
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

export async function startPlannedSystem(): Promise<PlannedSystem> {
  const folder = await mkdtemp(join(tmpdir(), "annals-plans-"));
  const file = join(folder, "plans.json");
  await writeFile(file, JSON.stringify(FILE));
  const stack = await startConstellation({
    shared: inject("stack"),
    replicas: { gateway: 3, keys: 2, ledger: 2 },
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    env: { keys: { ANNALS_PLANS_FILE: file } },
    without: ["nats", "export", "webhook-dispatcher"],
  });
  const { databaseUrl, baseUrls } = stack;
  const owner = ownerOf(databaseUrl);
  const clients: HttpClient[] = [];
  const setPlan = async ({ accountId }: TestAccount, plan: string | null) => {
    await owner.query("UPDATE keys.accounts SET plan = $2 WHERE account_id = $1", [
      accountId,
      plan,
    ]);
  };
  return {
    baseUrls,
    databaseUrl,
    query: owner.query,
    setPlan,
    newClient: async (plan) => {
      const account = await newAccount(databaseUrl);
      if (plan !== undefined) await setPlan(account, plan);
      const client = new HttpClient(baseUrls[0] ?? "", account.key);
      clients.push(client);
      return { account, client };
    },
    stop: async () => {
      for (const client of clients) client.close();
      await owner.close();
      await stack.stop();
      await rm(folder, { recursive: true });
    },
  };
}
