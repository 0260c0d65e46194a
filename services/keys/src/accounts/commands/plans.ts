// The commands `annals plans`: what the plans of the operator's file allow, how many accounts have each, and
// the plan of an account.

import { plansJson } from "../json.ts";
import { listPlanNames } from "../../store/list-plan-names.ts";
import { setPlanCommand } from "./accounts.ts";
import { type OperatorCommand, operatorCommand } from "../../commands/operator-command.ts";

const show = operatorCommand(
  {
    name: "plans show",
    summary:
      "Show the plans of ANNALS_PLANS_FILE, their limits, and the number of accounts on each",
    examples: ["annals plans show"],
  },
  async (_, { database }, plans) => {
    const data = plansJson(plans, await database.run(listPlanNames, []));
    return { text: data.map(line).join(""), data };
  },
);

export const PLAN_COMMANDS: readonly OperatorCommand[] = [show, setPlanCommand("plans set")];

function line(plan: ReturnType<typeof plansJson>[number]): string {
  const limit = (value: number | null, what: string, absent = "unlimited") =>
    `${value ?? absent} ${what}`;
  return `${[
    plan.default ? `${plan.name} (default)` : plan.name,
    limit(plan.max_keys, "keys"),
    limit(plan.max_webhooks, "webhooks"),
    limit(plan.max_sinks, "sinks"),
    limit(plan.max_search_fields, "search fields"),
    limit(plan.max_widget_tokens, "widget tokens"),
    limit(plan.max_export_bytes, "export bytes", "default"),
    limit(plan.events_exported_per_day, "events exported a day"),
    limit(plan.events_replayed_per_day, "events replayed a day"),
    limit(plan.monthly_events, "events a month"),
    limit(plan.requests_per_minute, "requests a minute", "60 times a key's"),
    limit(plan.intake_requests_per_minute, "requests of intake a minute", "60 times a key's"),
    limit(plan.retention_days, "days of events"),
    limit(plan.min_retention_days, "days of events at least"),
    plan.archive ? `archives for ${limit(plan.archive_days, "days")}` : "no archives",
    `without ${plan.features_left_out.join(", ") || "nothing"}`,
    `${plan.accounts} accounts name it`,
  ].join("\t")}\n`;
}
