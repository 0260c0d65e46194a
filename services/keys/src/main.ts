// The keys service as a process: `serve`, `migrate`, `accounts create|rename|add-key|set-plan|list`.

import { main, run } from "@annals/chassis";
import { accounts } from "./commands/accounts.ts";
import { migrate } from "./commands/migrate.ts";
import { SETTINGS } from "./config.ts";
import { readPlans } from "./plans-file.ts";
import { serve } from "./serve.ts";

await main({
  service: "keys",
  settings: SETTINGS,
  environment: process.env,
  argv: process.argv.slice(2),
  verbs: {
    serve: async ({ config, log }) => {
      const plans = await readPlans(config.plansFile);
      await run({
        log,
        exitWithStdin: config.exitWithStdin,
        serve: (closers) => serve(config, plans, log, closers),
      });
    },
    migrate,
    accounts,
  },
});
