// The shared system of several replicas as tests of plans use it: accounts of a plan, and a way to give an
// account another one. No webhook or export ends up anywhere: their routes are asked only for refusals.

import { HttpClient, newAccount, ownerOf, type TestAccount } from "@annals/testing";
import { type PLANS, shared } from "./shared-systems.ts";

/** One of the file, or one that only a newer file has. */
type Plan = keyof typeof PLANS.plans | "of-a-newer-file";

export interface PlannedSystem {
  readonly baseUrls: readonly string[];
  /** A new account with one key, and a client of it at the first gateway. */
  newClient(plan?: Plan): Promise<{ account: TestAccount; client: HttpClient }>;
  /** Takes effect at once: nothing of a plan is kept anywhere. */
  setPlan(account: TestAccount, plan: Plan | null): Promise<void>;
  /** Statements with the owner's rights. */
  readonly query: ReturnType<typeof ownerOf>["query"];
  readonly databaseUrl: string;
  close(): Promise<void>;
}

export async function openPlannedSystem(): Promise<PlannedSystem> {
  const { baseUrls, databaseUrl } = await shared("replicas");
  const owner = ownerOf(databaseUrl);
  const clients: HttpClient[] = [];
  const setPlan = async ({ accountId }: TestAccount, plan: Plan | null) => {
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
    close: async () => {
      for (const client of clients) client.close();
      await owner.close();
    },
  };
}
