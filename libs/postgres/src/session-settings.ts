// The settings of PostgreSQL that the code relies on. Every connection to PostgreSQL begins with them, so
// that no default of a server, a database or a login changes what a statement does. Called by pool.ts,
// migrate.ts, vacuum.ts and distribute.ts. It must never change a setting that is for the operator to tune,
// such as work_mem.

import pg from "pg";

/** Settings of a connection, by name. What the address gives takes precedence. */
const SETTINGS: Readonly<Record<string, string>> = {
  // The condition of an append, and what workers lease, are written for this isolation.
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  default_transaction_deferrable: "off",
  // The client has time limits of its own. The pool sets two of these to what its options say.
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  // All names of the statements are qualified: an object of another schema never takes the place of a
  // built-in.
  search_path: "pg_catalog",
  // What values look like as text, and how texts are read.
  TimeZone: "UTC",
  DateStyle: "ISO,MDY",
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  array_nulls: "on",
  quote_all_identifiers: "off",
  // Zero: an index search finds all rows.
  gin_fuzzy_search_limit: "0",
  // The statements are short, and compiling one takes longer than running it.
  jit: "off",
};

/** The names of the settings, for tests. */
export const SETTING_NAMES = Object.keys(SETTINGS);

/** Begins a transaction, also if the address gives another default. */
export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE, NOT DEFERRABLE";

/**
 * SQL: what cannot be in the startup message. PostgreSQL 15 and 16 do not know transaction_timeout. A
 * `synchronous_commit` that a database or a login turns off is turned on: an event would get its 201 before
 * it is on the disk. Other values are the operator's choice, and so is the server's own.
 */
export const LATE_SETTINGS = `
  CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
    THEN set_config('transaction_timeout', '0', false) END,
  (SELECT set_config(name, 'on', false) FROM pg_settings
   WHERE name = 'synchronous_commit' AND setting = 'off'
     AND source IN ('global', 'database', 'user', 'database user'))`;

interface Address {
  readonly connectionString: string;
  /** The role that the connection takes on. */
  readonly role?: string | undefined;
}

/**
 * In pg the options in the address replace those given next to it: without this, an address with some
 * would drop the role and the settings.
 */
export function connectionOf({ connectionString, role }: Address): pg.ClientConfig {
  const url = new URL(connectionString);
  const given = url.searchParams.get("options");
  url.searchParams.delete("options");
  const options = [
    ...Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value.replace(" ", "\\ ")}`),
    given,
    role === undefined ? null : `-c role=${role}`,
  ];
  return {
    connectionString: given === null ? connectionString : url.href,
    options: options.filter((option) => option !== null).join(" "),
  };
}
