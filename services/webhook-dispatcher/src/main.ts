// The webhook dispatcher as a process: `serve`, `migrate`, `distribute`, `sinks`, `webhooks`.

import { main, run } from "@annals/chassis";
import { distributeCommand } from "@annals/postgres";
import { migrate } from "./commands/migrate.ts";
import {
  replayOperatorSinkCommand,
  showOperatorSinks,
  skipOperatorSinkRecordCommand,
} from "./commands/operator-sinks.ts";
import { rotateSealingKey } from "./commands/rotate-sealing-key.ts";
import { COMMAND_SETTINGS, SETTINGS } from "./config.ts";
import { serve } from "./serve.ts";

await main({
  service: "webhook-dispatcher",
  environment: process.env,
  argv: process.argv.slice(2),
  settings: SETTINGS,
  serve: ({ config, log }) =>
    run({
      log,
      exitWithStdin: config.exitWithStdin,
      serve: (closers) => serve(config, log, closers),
    }),
  commands: {
    settings: COMMAND_SETTINGS,
    migrate,
    operator: [
      showOperatorSinks,
      skipOperatorSinkRecordCommand,
      replayOperatorSinkCommand,
      rotateSealingKey,
      distributeCommand({ schema: "webhooks" }),
    ],
  },
});
