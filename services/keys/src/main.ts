// The keys service as a process: `serve`, `migrate`, and the operator's verbs `accounts`, `keys`, `plans`.

import { main, run } from "@annals/chassis";
import { accounts, ACCOUNTS_HELP } from "./commands/accounts.ts";
import { keys, KEYS_HELP } from "./commands/keys.ts";
import { migrate } from "./commands/migrate.ts";
import { plans, PLANS_HELP } from "./commands/plans.ts";
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
      const file = await readPlans(config.plansFile);
      await run({
        log,
        exitWithStdin: config.exitWithStdin,
        serve: (closers) => serve(config, file, log, closers),
      });
    },
    migrate,
    accounts,
    keys,
    plans,
  },
  help: { accounts: ACCOUNTS_HELP, keys: KEYS_HELP, plans: PLANS_HELP },
});
