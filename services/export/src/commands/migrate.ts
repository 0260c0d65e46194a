// The command `migrate`: brings the schema up to this release. Run again, it changes nothing.

import type { MigrateContext } from "@annals/chassis";
import { migrateSchema } from "@annals/postgres";
import { fileURLToPath } from "node:url";
import type { COMMAND_SETTINGS } from "../config.ts";

export const SCHEMA = {
  schema: "exports",
  directory: fileURLToPath(new URL("../../migrations", import.meta.url)),
};

export function migrate(context: MigrateContext<typeof COMMAND_SETTINGS>): Promise<void> {
  return migrateSchema(context, SCHEMA);
}
