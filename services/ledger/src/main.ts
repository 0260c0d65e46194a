// The ledger as a process: `serve`, `migrate`, `heads`, `check-heads`.

import { main, run } from "@annals/chassis";
import { checkHeads, heads } from "./commands/heads.ts";
import { migrate } from "./commands/migrate.ts";
import { SETTINGS } from "./config.ts";
import { serve } from "./serve.ts";

await main({
  service: "ledger",
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
    heads,
    "check-heads": checkHeads,
  },
});
