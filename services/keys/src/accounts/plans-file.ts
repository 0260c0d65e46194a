// The operator's file of plans (ANNALS_PLANS_FILE): read once at the start, and compared with the plans that
// accounts name. Called by serve.ts and the commands.

import { ConfigError } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { readFile } from "node:fs/promises";
import { parsePlans, PlansFault } from "./rules/parse-plans.ts";
import { type Plans, UNLIMITED_PLANS } from "./rules/plan.ts";
import { listPlanNames } from "../store/list-plan-names.ts";

/**
 * Without a file there is one plan, with the limits that every plan has. Throws a ConfigError that names
 * every fault.
 */
export async function readPlans(path: string | undefined): Promise<Plans> {
  if (path === undefined) return UNLIMITED_PLANS;
  try {
    return parsePlans(await readFile(path));
  } catch (error) {
    const isOurs = error instanceof PlansFault;
    const fault = error instanceof Error ? error.message : String(error);
    const lines = fault.split("\n").map((line) => `  ${line}`);
    throw new ConfigError(
      `ANNALS_PLANS_FILE ${isOurs ? `(${path}) is not valid` : "cannot be read"}:\n${lines.join("\n")}`,
    );
  }
}

/**
 * A readiness check: resolves to a sentence as long as an account names a plan that the file does not have.
 * Once it has passed it is not repeated: a name that a command sets later, from a newer file, must not make
 * every replica unready at once.
 */
export function plansCheck(database: Database, plans: Plans): () => Promise<string | undefined> {
  let hasPassed = false;
  return async () => {
    if (hasPassed) return undefined;
    const rows = await database.run(listPlanNames, []);
    const unknown = rows.filter(({ plan }) => !plans.has(plan));
    hasPassed = unknown.length === 0;
    if (hasPassed) return undefined;
    const said = unknown.map(({ plan, accounts }) => `${plan} (accounts: ${accounts})`).join(", ");
    return `accounts have plans that ANNALS_PLANS_FILE does not name: ${said}`;
  };
}
