// The schemas of all services, for a database that a test run makes. Called by the global setups.

import { migrate } from "@annals/postgres";
import { join } from "node:path";

const SERVICES = join(import.meta.dirname, "../../services");
/** The schemas, and the services that own them. */
const SCHEMAS = {
  keys: "keys",
  ledger: "ledger",
  exports: "export",
  webhooks: "webhook-dispatcher",
};

/** Migrates the schema of each service, one after the other. */
export async function migrateSchemas(connectionString: string): Promise<void> {
  for (const [schema, service] of Object.entries(SCHEMAS))
    await migrate({ connectionString, schema, directory: join(SERVICES, service, "migrations") });
}
