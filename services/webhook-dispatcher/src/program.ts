// The program of the webhook dispatcher: `serve`, `migrate`, `distribute`, `sinks`, `webhooks`. Called by
// main.ts.

import { serving } from "@annals/chassis";
import { distributeCommand } from "@annals/postgres";
import { migrate } from "./commands/migrate.ts";
import {
  replayOperatorSinkCommand,
  showOperatorSinks,
  skipOperatorSinkRecordCommand,
} from "./sinks/commands/operator-sinks.ts";
import { rotateSealingKey } from "./sealing/commands/rotate-sealing-key.ts";
import { COMMAND_SETTINGS, SETTINGS } from "./config.ts";

export const PROGRAM = {
  service: "webhook-dispatcher",
  settings: SETTINGS,
  serve: serving(() => import("./serve.ts")),
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
};
