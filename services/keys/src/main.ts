// The keys service as a process: `serve`, `migrate`, and the operator's commands `accounts`, `keys`, `plans`.

import { main, run } from "@annals/chassis";
import { ACCOUNT_COMMANDS } from "./commands/accounts.ts";
import { KEY_COMMANDS } from "./commands/keys.ts";
import { migrate } from "./commands/migrate.ts";
import { PLAN_COMMANDS } from "./commands/plans.ts";
import { SETTINGS } from "./config.ts";
import { readPlans } from "./plans-file.ts";
import { serve } from "./serve.ts";

await main({
  service: "keys",
  environment: process.env,
  argv: process.argv.slice(2),
  settings: SETTINGS,
  serve: async ({ config, log }) => {
    const file = await readPlans(config.plansFile);
    await run({
      log,
      exitWithStdin: config.exitWithStdin,
      serve: (closers) => serve(config, file, log, closers),
    });
  },
  commands: {
    settings: SETTINGS,
    migrate,
    operator: [...ACCOUNT_COMMANDS, ...KEY_COMMANDS, ...PLAN_COMMANDS],
  },
});
