// Guarantee: the role that the service runs as can add events and can neither change nor delete
// them, and calls the two functions that can, whose conditions are in erase-refusals.test.ts and
// expire.test.ts. PostgreSQL enforces it, not this service.

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
  "INSERT INTO ledger.segments VALUES ('a', 0, 0, '', '', '', '')",
  "UPDATE ledger.segments SET latest = ''",
  "DELETE FROM ledger.segments",
  "INSERT INTO ledger.blocks VALUES ('a', 1, 0, 0, 'a', '{a}', NULL, '')",
  "UPDATE ledger.blocks SET places = ''",
  "DELETE FROM ledger.blocks",
  "INSERT INTO ledger.unindexed VALUES ('a', 1, 2, 'a')",
  "DELETE FROM ledger.unindexed",
  "UPDATE ledger.fields SET from_base = 0",
  "DELETE FROM ledger.fields",
  "SELECT ledger.make_blocks('a', 0)",
  "SELECT ledger.make_blocks_of('a', 0, 16, '{context,a}', 'string', false)",
  "SELECT ledger.seal_blocks('a', 0, 1::smallint)",
  "SELECT ledger.store_blocks('a', 0, 0, '{1}', '{a}', '{a}')",
  "UPDATE ledger.lifecycles SET records_from = 0",
  "UPDATE ledger.lifecycles SET deleted_through = 9, min_index = 0",
  "INSERT INTO ledger.lifecycles (account_id, records_from) VALUES ('a', 0)",
  "DELETE FROM ledger.lifecycles",
  "UPDATE ledger.holds SET to_sequence = 1",
  "UPDATE ledger.holds SET owner = 'account'",
  "UPDATE ledger.holds SET release_seen = true",
  "DELETE FROM ledger.holds",
  "DELETE FROM ledger.erasures",
  "SELECT ledger.record_of('a', 1, 'annals.erasure')",
  "SELECT ledger.is_active('a', 'hold_1', 1)",
  "ALTER FUNCTION ledger.erase SECURITY INVOKER",
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
     AND table_name IN ('blocks', 'events', 'outbox', 'segments', 'tiles', 'trees', 'unindexed') GROUP BY 1 ORDER BY 1`,
    [ROLE],
  );
  expect(rights).toEqual([
    { table_name: "blocks", rights: "SELECT" },
    { table_name: "events", rights: "INSERT,SELECT" },
    { table_name: "outbox", rights: "DELETE,INSERT,SELECT" },
    { table_name: "segments", rights: "SELECT" },
    { table_name: "tiles", rights: "INSERT,SELECT" },
    { table_name: "trees", rights: "INSERT,SELECT,UPDATE" },
    { table_name: "unindexed", rights: "SELECT" },
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

test("only the service calls functions, and those that change rows have the owner's rights", async () => {
  const rows = await database.query(
    `SELECT proname::text AS name, prosecdef AS "isDefiner", grantee::regrole::text, proowner::regrole::text = $1 AS owns,
       'search_path=pg_catalog, pg_temp' = ANY (proconfig) AS "isPinned"
     FROM pg_proc CROSS JOIN LATERAL aclexplode(proacl)
     WHERE pronamespace = 'ledger'::regnamespace AND grantee <> proowner ORDER BY 1`,
    [ROLE],
  );
  const of = { grantee: ROLE, owns: false };
  expect(rows).toEqual([
    { name: "append", isDefiner: false, isPinned: null, ...of },
    { name: "begin_lifecycle", isDefiner: true, isPinned: true, ...of },
    { name: "erase", isDefiner: true, isPinned: true, ...of },
    { name: "expire", isDefiner: true, isPinned: true, ...of },
    { name: "forget_field", isDefiner: true, isPinned: true, ...of },
    { name: "index_field", isDefiner: true, isPinned: true, ...of },
    { name: "index_segment", isDefiner: true, isPinned: true, ...of },
    { name: "runs_of", isDefiner: false, isPinned: true, ...of },
    { name: "seal_segment", isDefiner: true, isPinned: true, ...of },
    { name: "unindex", isDefiner: true, isPinned: true, ...of },
  ]);
});

test("the service may vacuum what it erases", async () => {
  const [row] = await database.query(
    `SELECT bool_and(has_table_privilege($1, 'ledger.' || name, 'MAINTAIN')) AS may
     FROM (VALUES ('blocks'), ('events'), ('unindexed')) AS given (name)`,
    [ROLE],
  );
  expect(row).toEqual({ may: true });
});
