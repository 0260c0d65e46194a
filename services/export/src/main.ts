// The export service as a process: `serve`, `migrate`, `distribute`.

import { main, run } from "@annals/chassis";
import { distributeCommand } from "@annals/postgres";
import { migrate } from "./commands/migrate.ts";
import { COMMAND_SETTINGS, SETTINGS } from "./config.ts";

await main({
  service: "export",
  environment: process.env,
  argv: process.argv.slice(2),
  settings: SETTINGS,
  serve: ({ config, log }) =>
    run({
      log,
      exitWithStdin: config.exitWithStdin,
      // Loaded here: a command needs none of it, and starts in three quarters of the time.
      serve: async (closers) => (await import("./serve.ts")).serve(config, log, closers),
    }),
  commands: {
    settings: COMMAND_SETTINGS,
    migrate,
    operator: [distributeCommand({ schema: "exports" })],
  },
});
