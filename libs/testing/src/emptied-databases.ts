// The migrated databases that tests of this process have given back, emptied, for the next tests. Called by
// database.ts. It must never keep a database that a test could tell from a fresh copy of the template: one
// whose schema, settings or statistics have changed is not kept, nor one that is still in use.

import type { Owner } from "./owner.ts";

/** Tables of more bytes are truncated. Deleting a few rows costs less, as it makes no file. */
export const DELETED_BYTES_MAX = 65_536;

/** How long connections that a test has closed may take to end, in milliseconds. */
const CLOSING_MS_MAX = 500;

export interface Emptied {
  readonly name: string;
  /** Its connection stays open: a new one costs more than emptying. */
  readonly owner: Owner;
}

/** What is kept, by the URL of the owner's own database. */
const emptied = new Map<string, Emptied[]>();

export function takeEmptied(ownerUrl: string): Emptied | undefined {
  return emptied.get(ownerUrl)?.pop();
}

/**
 * Empties a database. Resolves to whether it may be used again: not if others than the owner are connected,
 * for what a test has left must not reach the next one.
 */
export async function emptyDatabase(owner: Owner): Promise<boolean> {
  await owner.reset();
  const [row] = await owner.query<{ is_empty: boolean }>("SELECT annals_test.empty() AS is_empty");
  return row?.is_empty === true;
}

export function keepEmptied(ownerUrl: string, database: Emptied): void {
  emptied.set(ownerUrl, [...(emptied.get(ownerUrl) ?? []), database]);
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

CREATE FUNCTION annals_test.is_alone() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  FOR waited IN 1..${CLOSING_MS_MAX} LOOP
    PERFORM pg_stat_clear_snapshot();
    IF NOT EXISTS (
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid())
    THEN
      RETURN true;
    END IF;
    PERFORM pg_sleep(0.001);
  END LOOP;
  RETURN false;
END $$;

CREATE FUNCTION annals_test.empty() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE written annals_test.tables; seed annals_test.seeds; kept integer;
BEGIN
  IF NOT annals_test.is_alone()
    OR EXISTS (SELECT FROM annals_test.alterations)
    OR EXISTS (SELECT FROM pg_statistic WHERE starelid >= 16384)
    OR EXISTS (
      SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      WHERE d.datname = current_database())
  THEN
    RETURN false;
  END IF;
  SET LOCAL session_replication_role = replica;
  FOR written IN
    SELECT * FROM annals_test.tables
    WHERE bytes > 0 AND id NOT IN (SELECT id FROM annals_test.seeds)
  LOOP
    IF pg_table_size(written.id) > ${DELETED_BYTES_MAX} THEN
      EXECUTE format('TRUNCATE %s CASCADE', written.name);
    ELSE
      EXECUTE format('DELETE FROM %s', written.name);
    END IF;
  END LOOP;
  FOR seed IN SELECT * FROM annals_test.seeds LOOP
    EXECUTE format('DELETE FROM %s WHERE ctid <> ALL ($1)', seed.name) USING seed.places;
    EXECUTE format('SELECT count(*) FROM %s', seed.name) INTO kept;
    IF kept < cardinality(seed.places) OR pg_relation_size(seed.id) > ${DELETED_BYTES_MAX} THEN
      RETURN false;
    END IF;
  END LOOP;
  PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
  FROM pg_sequences WHERE last_value IS NOT NULL;
  RETURN true;
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
