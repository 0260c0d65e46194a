// The migrated databases that tests of this process have given back, emptied, for the next tests. Called by
// database.ts. It must never keep a database that a test could tell from a fresh copy of the template: one
// whose schema, settings or statistics have changed is not kept.

import pg from "pg";

/** What deleted rows may leave in a table that had rows in a fresh copy. */
const SEED_BYTES_MAX = 65_536;

/** How long the connection that renames stays open for the next test. */
const IDLE_MS = 10_000;

/** Names of databases, by the URL of the owner's own. */
const emptied = new Map<string, string[]>();
/** A connection to the owner's own database, by its URL: one of a test costs as much as emptying. */
const renamers = new Map<string, pg.Pool>();

export function takeEmptied(ownerUrl: string): string | undefined {
  return emptied.get(ownerUrl)?.pop();
}

type Query = <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>;

/** Ends every other connection to a database and empties it. Resolves to whether it may be used again. */
export async function emptyDatabase(query: Query): Promise<boolean> {
  const [row] = await query<{ is_empty: boolean }>("SELECT annals_test.empty() AS is_empty");
  return row?.is_empty === true;
}

/** Keeps an emptied database under a new name, so that nothing that a test has left reaches the next one. */
export async function keepEmptied(ownerUrl: string, name: string, as: string): Promise<void> {
  const renamer = renamers.get(ownerUrl) ?? newRenamer(ownerUrl);
  renamers.set(ownerUrl, renamer);
  await renamer.query(`ALTER DATABASE ${name} RENAME TO ${as}`);
  emptied.set(ownerUrl, [...(emptied.get(ownerUrl) ?? []), as]);
}

function newRenamer(connectionString: string): pg.Pool {
  const options = { max: 1, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true };
  const pool = new pg.Pool({ connectionString, ...options });
  pool.on("error", () => {});
  return pool;
}

/**
 * Makes a template able to empty its copies. They note each change of their schemas; one that is rolled back
 * leaves no note. `seeds` are tables with rows in a fresh copy, and the places of these rows: one that was
 * written again has another place.
 */
export const EMPTIABLE = `
CREATE SCHEMA annals_test;
CREATE TABLE annals_test.alterations (command text NOT NULL);
CREATE VIEW annals_test.tables AS
  SELECT oid AS id, oid::regclass::text AS name, pg_relation_size(oid) AS bytes FROM pg_class
  WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ('keys', 'ledger', 'exports', 'webhooks');
CREATE TABLE annals_test.seeds (id oid PRIMARY KEY, name text NOT NULL, places tid[] NOT NULL);

DO $$
DECLARE seed annals_test.tables;
BEGIN
  FOR seed IN SELECT * FROM annals_test.tables WHERE bytes > 0 LOOP
    EXECUTE format(
      'INSERT INTO annals_test.seeds SELECT %s, %L, array_agg(ctid) FROM %s',
      seed.id, seed.name, seed.name);
  END LOOP;
END $$;

CREATE FUNCTION annals_test.empty() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE written text; seed annals_test.seeds; kept integer;
BEGIN
  PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid();
  IF EXISTS (SELECT FROM annals_test.alterations)
    OR EXISTS (SELECT FROM pg_statistic WHERE starelid >= 16384)
    OR EXISTS (
      SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      WHERE d.datname = current_database())
  THEN
    RETURN false;
  END IF;
  SET LOCAL session_replication_role = replica;
  SELECT string_agg(name, ', ') INTO written FROM annals_test.tables
  WHERE bytes > 0 AND id NOT IN (SELECT id FROM annals_test.seeds);
  IF written IS NOT NULL THEN
    EXECUTE format('TRUNCATE %s RESTART IDENTITY CASCADE', written);
  END IF;
  FOR seed IN SELECT * FROM annals_test.seeds LOOP
    EXECUTE format('DELETE FROM %s WHERE ctid <> ALL ($1)', seed.name) USING seed.places;
    EXECUTE format('SELECT count(*) FROM %s', seed.name) INTO kept;
    IF kept < cardinality(seed.places) OR pg_relation_size(seed.id) > ${SEED_BYTES_MAX} THEN
      RETURN false;
    END IF;
  END LOOP;
  RETURN NOT EXISTS (SELECT FROM pg_sequences WHERE last_value IS NOT NULL);
END $$;

CREATE FUNCTION annals_test.note_alteration() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO annals_test.alterations VALUES (tg_tag);
END $$;
CREATE EVENT TRIGGER note_alteration ON ddl_command_end
EXECUTE FUNCTION annals_test.note_alteration();
ALTER EVENT TRIGGER note_alteration ENABLE ALWAYS;
`;
