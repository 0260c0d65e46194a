// The program of the keys service: `serve`, `migrate`, and the operator's commands `accounts`, `keys`,
// `people`, `plans`, `workloads`. Called by main.ts.

import { serving } from "@annals/chassis";
import { ACCOUNT_COMMANDS } from "./accounts/commands/accounts.ts";
import { KEY_COMMANDS } from "./api-keys/commands/keys.ts";
import { migrate } from "./commands/migrate.ts";
import { PLAN_COMMANDS } from "./accounts/commands/plans.ts";
import { PEOPLE_COMMANDS } from "./people/commands/people.ts";
import { WORKLOAD_COMMANDS } from "./workloads/commands/workloads.ts";
import { SETTINGS } from "./config.ts";

export const PROGRAM = {
  service: "keys",
  settings: SETTINGS,
  serve: serving(() => import("./serve.ts")),
  commands: {
    settings: SETTINGS,
    migrate,
    operator: [
      ...ACCOUNT_COMMANDS,
      ...KEY_COMMANDS,
      ...PEOPLE_COMMANDS,
      ...PLAN_COMMANDS,
      ...WORKLOAD_COMMANDS,
    ],
  },
};
