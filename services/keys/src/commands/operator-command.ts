// Makes the operator's commands of this service, which print their results as text, or with `--json` as the
// JSON of the admin API. A plan that is not in the plans file is refused before the database is opened.

import type { CommandContext, ConfigOf } from "@annals/chassis";
import {
  command,
  type Command,
  type Declaration,
  flag,
  type Options,
  option,
  requiredOption,
  UsageError,
  type ValuesOf,
} from "@annals/cli";
import type { SETTINGS } from "../config.ts";
import { operatorName } from "../accounts/rules/operator-name.ts";
import type { Plans } from "../accounts/rules/plan.ts";
import { readPlans } from "../accounts/plans-file.ts";
import { type Opened, withDatabase } from "./open.ts";

export type OperatorCommand = Command<CommandContext<typeof SETTINGS>>;

export const asId = (text: string): string => text.trim();
/** Parses a list with commas. */
export const asTexts = (text: string): readonly string[] => text.split(",").map(asId);
/** Parses the name of an account or of a key. */
export const asName = (text: string): string => operatorName(text, "");

export const ACCOUNT = requiredOption("<id>", "Id of the account", asId);
export const PLAN = option(
  "<plan>",
  "Plan of the account, from ANNALS_PLANS_FILE. Default: the default plan",
  asId,
);

/** `work` resolves to the result, as text and as JSON. */
export function operatorCommand<const O extends Options = Options>(
  declaration: Declaration<O, never>,
  work: (
    values: ValuesOf<O>,
    opened: Opened,
    plans: Plans,
    config: ConfigOf<typeof SETTINGS>,
  ) => Promise<{ readonly text: string; readonly data: unknown }>,
): OperatorCommand {
  const json = flag("Print JSON, as the admin API returns it");
  const { details = "", options = {} as O } = declaration;
  const declared = {
    ...declaration,
    details: `${details}\nRequires the ANNALS_DATABASE_URL of keys.`.trim(),
    options: { ...options, json },
  };
  return command(declared, async (values, { config, log }: CommandContext<typeof SETTINGS>) => {
    const { json: isJson, plan } = values as { readonly json: boolean; readonly plan?: string };
    const plans = await readPlans(config.plansFile);
    if (plan !== undefined && !plans.has(plan)) {
      throw new UsageError(`--plan: unknown plan "${plan}" (expected ${plans.names.join(", ")})`);
    }
    const { text, data } = await withDatabase(config, log, (opened) =>
      work(values, opened, plans, config),
    );
    process.stdout.write(isJson ? `${JSON.stringify(data)}\n` : text);
  });
}
