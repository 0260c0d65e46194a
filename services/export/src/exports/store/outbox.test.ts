// Guarantee: what the service may do with its outbox, PostgreSQL enforces.

import { createLog } from "@annals/chassis";
import { createPool } from "@annals/postgres";
import { createMigratedDatabase, PATIENT } from "@annals/testing";
import { expect, inject, onTestFinished, test } from "vitest";

test.for([
  "UPDATE exports.outbox SET event_name = ''",
  "TRUNCATE exports.outbox",
  "DELETE FROM exports.outbox_heads",
])("the service may not %s", async (text) => {
  const database = await createMigratedDatabase(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  const pool = createPool({
    connectionString: database.url,
    role: "annals_exports",
    applicationName: "annals-export-test",
    maxConnections: 1,
    ...PATIENT,
    log: createLog({ service: "test", level: "error" }),
  });
  onTestFinished(() => pool.close());
  const forbidden = { name: "test.outbox", text, route: "local", customPlan: true } as const;
  await expect(pool.run(forbidden, [])).rejects.toMatchObject({ code: "42501" });
});
