// The verb `plans`: what the plans of the operator's file allow, how many accounts have each, and the plan of
// an account.

import { planJson } from "../operations/json.ts";
import { listPlanNames } from "../store/list-plan-names.ts";
import { changePlan } from "./accounts.ts";
import { type Arguments, type Command, verb } from "./arguments.ts";

const USAGE = `Usage: annals plans show [--json]
       annals plans set --account <id> [--plan <plan>] [--json]`;

export const PLANS_HELP = `${USAGE}

show  Lists the plans of ANNALS_PLANS_FILE, their limits, and the number of accounts on each.
set   Sets the plan of an account, effective with its next request. Default: the default plan.

Requires the ANNALS_DATABASE_URL and the ANNALS_PLANS_FILE of keys.

Examples:
  annals plans show
  annals plans set --account acct_75gtznr6r1q5aecdantb9bkrxd --plan unlimited
`;

export const plans = verb(USAGE, (subcommand, args) => {
  if (subcommand === "show") return show(args);
  return subcommand === "set" ? changePlan(args) : undefined;
});

function show(args: Arguments): Command {
  args.options();
  return {
    work: async ({ database }, file) => {
      const counts = await database.run(listPlanNames, []);
      const data = file.names.map((name) => {
        const plan = file.of(name);
        return planJson(plan, plan === file.of(null), counts);
      });
      return { text: data.map(line).join(""), data };
    },
  };
}

function line(plan: ReturnType<typeof planJson>): string {
  const limit = (value: number | null, what: string, unsaid = "unlimited") =>
    `${value ?? unsaid} ${what}`;
  return `${[
    plan.default ? `${plan.name} (default)` : plan.name,
    limit(plan.max_keys, "keys"),
    limit(plan.max_webhooks, "webhooks"),
    limit(plan.max_widget_tokens, "widget tokens"),
    limit(plan.monthly_events, "events a month"),
    limit(plan.requests_per_minute, "requests a minute", "60 times a key's"),
    `without ${plan.features_left_out.join(", ") || "nothing"}`,
    `${plan.accounts} accounts name it`,
  ].join("\t")}\n`;
}
