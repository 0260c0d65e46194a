// The ledger as a process: `serve`, `migrate`, `heads`, `check-heads`, `verify`.

import { main, run } from "@annals/chassis";
import { checkHeads, heads, HEADS_HELP } from "./commands/heads.ts";
import { migrate } from "./commands/migrate.ts";
import { verify, VERIFY_HELP } from "./commands/verify.ts";
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
    verify,
  },
  help: {
    heads: HEADS_HELP,
    "check-heads": HEADS_HELP,
    verify: VERIFY_HELP,
  },
});
