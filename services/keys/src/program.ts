// The program of the keys service: `serve`, `migrate`, and the operator's commands `accounts`, `keys`,
// `plans`. Called by main.ts.

import { type CommandContext, run } from "@annals/chassis";
import { ACCOUNT_COMMANDS } from "./commands/accounts.ts";
import { KEY_COMMANDS } from "./commands/keys.ts";
import { migrate } from "./commands/migrate.ts";
import { PLAN_COMMANDS } from "./commands/plans.ts";
import { SETTINGS } from "./config.ts";
import { readPlans } from "./plans-file.ts";

export const PROGRAM = {
  service: "keys",
  settings: SETTINGS,
  serve: async ({ config, log }: CommandContext<typeof SETTINGS>) => {
    const file = await readPlans(config.plansFile);
    await run({
      log,
      exitWithStdin: config.exitWithStdin,
      // Loaded here: a command needs none of it, and starts in three quarters of the time.
      serve: async (closers) => (await import("./serve.ts")).serve(config, file, log, closers),
    });
  },
  commands: {
    settings: SETTINGS,
    migrate,
    operator: [...ACCOUNT_COMMANDS, ...KEY_COMMANDS, ...PLAN_COMMANDS],
  },
};
