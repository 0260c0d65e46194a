// The command `migrate`: brings the schema up to this release. Run again, it changes nothing.

import type { MigrateContext } from "@annals/chassis";
import { migrateSchema } from "@annals/postgres";
import { fileURLToPath } from "node:url";
import type { SETTINGS } from "../config.ts";

export const SCHEMA = {
  schema: "ledger",
  directory: fileURLToPath(new URL("../../migrations", import.meta.url)),
};

export function migrate(context: MigrateContext<typeof SETTINGS>): Promise<void> {
  return migrateSchema(context, SCHEMA);
}
