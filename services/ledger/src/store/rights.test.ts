// Guarantee: the role that the service runs as can add events and can neither change nor delete them. PostgreSQL enforces it,
// not this service.

import { createPool } from "@annals/postgres";
import { createLog } from "@annals/chassis";
import type { TestDatabase } from "@annals/testing";
import { expect, onTestFinished, test } from "vitest";
import { ROLE } from "../serve.ts";
import { append, newAccountId, newLedgerDatabase, newQueue } from "../append-fixtures.ts";

const DENIED = { code: "42501" };

/** Runs one statement with the rights of the service. */
function asService(database: TestDatabase) {
  const pool = createPool({
    connectionString: database.url,
    role: ROLE,
    applicationName: "annals-rights-test",
    maxConnections: 1,
    statementTimeoutMs: 5_000,
    log: createLog({ service: "test", level: "error" }),
  });
  onTestFinished(() => pool.close());
  return (text: string) =>
    pool.run<[], Record<string, unknown>>({ name: "test.rights", text, plannedAnew: true }, []);
}

async function withEvents() {
  const database = await newLedgerDatabase();
  const { queue } = newQueue(database.url);
  await queue.submit(append(newAccountId()));
  return { database, run: asService(database) };
}

const FORBIDDEN = ["chain", "payloads"].flatMap((table) => [
  `UPDATE ledger.${table} SET sequence_number = 2`,
  `DELETE FROM ledger.${table}`,
  `TRUNCATE ledger.${table}`,
  `SELECT FROM ledger.${table} FOR UPDATE`,
  `ALTER TABLE ledger.${table} ADD COLUMN x int`,
  `DROP TABLE ledger.${table}`,
  `CREATE TRIGGER t BEFORE INSERT ON ledger.${table} EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
  `INSERT INTO ledger.${table} SELECT * FROM ledger.${table} ON CONFLICT (account_id, sequence_number) DO UPDATE SET sequence_number = 9`,
]);

test.each([
  ...FORBIDDEN,
  "UPDATE ledger.chain SET action = 'b'",
  "UPDATE ledger.payloads SET metadata = '{}'",
  "DELETE FROM ledger.heads",
  "TRUNCATE ledger.heads",
  "DELETE FROM ledger.outbox",
  "UPDATE ledger.outbox SET data = '{}'",
  "TRUNCATE ledger.chain CASCADE",
  "CREATE TABLE ledger.mine (n int)",
  "DROP SCHEMA ledger CASCADE",
])("denied: %s", async (text) => {
  const { database, run } = await withEvents();
  const before = await database.query(
    "SELECT * FROM ledger.chain JOIN ledger.payloads USING (account_id, sequence_number)",
  );
  await expect(run(text)).rejects.toMatchObject(DENIED);
  expect(
    await database.query(
      "SELECT * FROM ledger.chain JOIN ledger.payloads USING (account_id, sequence_number)",
    ),
  ).toEqual(before);
});

test("the rights are those, and no role that it may take on has more", async () => {
  const { database, run } = await withEvents();
  expect(await run("SELECT current_user::text AS user")).toEqual([{ user: ROLE }]);
  const rights = await database.query(
    `SELECT table_name, string_agg(privilege_type, ',' ORDER BY privilege_type) AS rights
     FROM information_schema.role_table_grants WHERE grantee = $1 AND table_schema = 'ledger'
     AND table_name IN ('chain', 'payloads') GROUP BY 1 ORDER BY 1`,
    [ROLE],
  );
  expect(rights).toEqual([
    { table_name: "chain", rights: "INSERT,SELECT" },
    { table_name: "payloads", rights: "INSERT,SELECT" },
  ]);
  const [role] = await database.query(
    `SELECT rolsuper, rolcreaterole, rolbypassrls,
       EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid) AS "isMember"
     FROM pg_roles WHERE rolname = $1`,
    [ROLE],
  );
  expect(role).toEqual({
    rolsuper: false,
    rolcreaterole: false,
    rolbypassrls: false,
    isMember: false,
  });
});
