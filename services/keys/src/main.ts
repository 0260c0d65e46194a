// The keys service as a process: `serve`, `migrate`, `accounts create|list`.

import { main, run } from "@annals/chassis";
import { accounts } from "./commands/accounts.ts";
import { migrate } from "./commands/migrate.ts";
import { SETTINGS } from "./config.ts";
import { serve } from "./serve.ts";

await main({
  service: "keys",
  settings: SETTINGS,
  environment: process.env,
  argv: process.argv.slice(2),
  verbs: {
    serve: ({ config, log }) =>
      run({
        log,
        exitWithStdin: config.exitWithStdin,
        serve: (closers) => serve(config, log, closers),
      }),
    migrate,
    accounts,
  },
});
