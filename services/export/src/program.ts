// The program of the export service: `serve`, `migrate`, `distribute`. Called by main.ts.

import { serving } from "@annals/chassis";
import { distributeCommand } from "@annals/postgres";
import { migrate } from "./commands/migrate.ts";
import { COMMAND_SETTINGS, SETTINGS } from "./config.ts";

export const PROGRAM = {
  service: "export",
  settings: SETTINGS,
  serve: serving(() => import("./serve.ts")),
  commands: {
    settings: COMMAND_SETTINGS,
    migrate,
    operator: [distributeCommand({ schema: "exports" })],
  },
};
