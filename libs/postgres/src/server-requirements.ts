// What a PostgreSQL must be: not too old, and a database in UTF8. Called for each connection, by pool.ts,
// migrate.ts, vacuum.ts and distribute.ts. It must never refuse a version that is newer than the tested ones.

import type pg from "pg";
import { LATE_SETTINGS } from "./session-settings.ts";

/** PostgreSQL 15, as `server_version_num` has it. */
export const OLDEST_VERSION = 150_000;

/** What the server says of itself and of the database. */
export interface Server {
  /** Such as `14.23 (Debian 14.23-1)`. */
  readonly version: string;
  readonly version_number: number;
  readonly encoding: string;
  readonly is_standby: boolean;
}

/** The first statement of a connection: completes its settings, and asks what the server is. */
export async function beginSession(client: Pick<pg.ClientBase, "query">): Promise<Server> {
  const { rows } = await client.query<Server>(
    `/* postgres.begin-session */
     SELECT current_setting('server_version') AS version,
            current_setting('server_version_num')::int AS version_number,
            current_setting('server_encoding') AS encoding,
            pg_is_in_recovery() AS is_standby,${LATE_SETTINGS}`,
  );
  const [server] = rows;
  if (server === undefined) throw new Error("the server does not describe itself");
  return server;
}

/** Throws one line if the server is too old or the database has another encoding. */
export function refuseUnsupported({ version, version_number, encoding }: Server): void {
  if (version_number < OLDEST_VERSION)
    throw new Error(`PostgreSQL ${version} is too old: Annals needs PostgreSQL 15 or newer`);
  // Events hold any character, and other encodings store or compare some of them differently.
  if (encoding !== "UTF8")
    throw new Error(`the database has the encoding ${encoding}: Annals needs UTF8`);
}
