// Guarantee: the role that the service runs as can add events and can neither change nor delete
// them. PostgreSQL enforces it, not this service.

import { ROLE } from "../config.ts";
import { ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../testing/database.ts";

const DENIED = { code: "42501" };

let database: TestDatabase;
/** Runs one statement with the rights of the service. */
let run: (text: string) => Promise<Record<string, unknown>[]>;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  const pool = openPool(database.url, { atEnd: afterAll });
  run = (text) =>
    pool.run<[], Record<string, unknown>>(
      { name: "test.rights", text, route: "local", customPlan: true },
      [],
    );
  await run(APPEND);
});

/** What the service may do: an event. */
const APPEND = `
  INSERT INTO ledger.events
  VALUES ('a', 1, 'evt_1', 'a', '', '', '', decode(repeat('00', 160), 'hex'), decode(repeat('00', 32), 'hex'),
    decode(repeat('01', 32), 'hex'), '{}', '{}', '{}', '{}', '{}', decode(repeat('00', 80), 'hex'))`;

test.each([
  "UPDATE ledger.events SET sequence_number = 2",
  "UPDATE ledger.events SET action = 'b'",
  "UPDATE ledger.events SET metadata = '{}'",
  "DELETE FROM ledger.events",
  "TRUNCATE ledger.events",
  ...(ON_ONE_SERVER ? ["SELECT FROM ledger.events FOR UPDATE"] : []),
  "ALTER TABLE ledger.events ADD COLUMN x int",
  "DROP TABLE ledger.events",
  "CREATE TRIGGER t BEFORE INSERT ON ledger.events EXECUTE FUNCTION suppress_redundant_updates_trigger()",
  `INSERT INTO ledger.events SELECT * FROM ledger.events
   ON CONFLICT (account_id, sequence_number) DO UPDATE SET sequence_number = 9`,
  "DELETE FROM ledger.heads",
  "TRUNCATE ledger.heads",
  "UPDATE ledger.outbox SET data = '{}'",
  "TRUNCATE ledger.outbox",
  "DELETE FROM ledger.outbox_heads",
  "TRUNCATE ledger.events CASCADE",
  "UPDATE ledger.chunks SET latest = ''",
  "DELETE FROM ledger.chunks",
  "TRUNCATE ledger.chunks",
  "UPDATE ledger.postings SET ordinals = '{}'",
  "DELETE FROM ledger.postings",
  "TRUNCATE ledger.postings",
  "CREATE TABLE ledger.mine (n int)",
  "DROP SCHEMA ledger CASCADE",
])("denied: %s", async (text) => {
  const before = await database.query("SELECT * FROM ledger.events");
  expect(before).toHaveLength(1);
  await expect(run(text)).rejects.toMatchObject(DENIED);
  expect(await database.query("SELECT * FROM ledger.events")).toEqual(before);
});

test("the rights are those, and no role that it may take on has more", async () => {
  expect(await run("SELECT current_user::text AS user")).toEqual([{ user: ROLE }]);
  const rights = await database.query(
    `SELECT table_name, string_agg(privilege_type, ',' ORDER BY privilege_type) AS rights
     FROM information_schema.role_table_grants WHERE grantee = $1 AND table_schema = 'ledger'
     AND table_name IN ('chunks', 'events', 'outbox', 'postings', 'tiles', 'trees') GROUP BY 1 ORDER BY 1`,
    [ROLE],
  );
  expect(rights).toEqual([
    { table_name: "chunks", rights: "INSERT,SELECT" },
    { table_name: "events", rights: "INSERT,SELECT" },
    { table_name: "outbox", rights: "DELETE,INSERT,SELECT" },
    { table_name: "postings", rights: "INSERT,SELECT" },
    { table_name: "tiles", rights: "INSERT,SELECT" },
    { table_name: "trees", rights: "INSERT,SELECT,UPDATE" },
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

test("ledger.append has the rights of its caller, which is only the service", async () => {
  const rows = await database.query(
    `SELECT prosecdef, grantee::regrole::text, privilege_type
     FROM pg_proc CROSS JOIN LATERAL aclexplode(proacl)
     WHERE pg_proc.oid = 'ledger.append'::regproc AND grantee <> proowner`,
  );
  expect(rows).toEqual([
    {
      prosecdef: false,
      grantee: ROLE,
      privilege_type: "EXECUTE",
    },
  ]);
});
