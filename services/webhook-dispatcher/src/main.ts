// The webhook dispatcher as a process: `serve`, `migrate`, `rotate-secrets`.

import { main, run } from "@annals/chassis";
import { migrate } from "./commands/migrate.ts";
import { ROTATE_SECRETS_HELP, rotateSecrets } from "./commands/rotate-secrets.ts";
import { COMMAND_SETTINGS, SETTINGS } from "./config.ts";
import { serve } from "./serve.ts";

await main({
  service: "webhook-dispatcher",
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
  },
  commands: {
    settings: COMMAND_SETTINGS,
    verbs: { migrate, "rotate-secrets": rotateSecrets },
  },
  help: { "rotate-secrets": ROTATE_SECRETS_HELP },
});
