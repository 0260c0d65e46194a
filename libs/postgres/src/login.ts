// The login of `serve`, as the URL that `serve` uses has it. Called by migrate.ts in its transaction, if
// a URL was given. It must never send a password to the server: PostgreSQL may log the statement.

import { ConfigError } from "@annals/chassis";
import { createHmac, hash, pbkdf2Sync, randomBytes } from "node:crypto";
import pg from "pg";
import { SET_RIGHT } from "./rights.ts";

/** Iterations of PostgreSQL's own verifiers (scram_iterations). */
const ITERATIONS = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** What was done with a login, with the names of the fields in the log. */
export interface Login {
  readonly name: string;
  readonly made: boolean;
  readonly password_set: boolean;
  /** The role, which it lacked. */
  readonly granted: string | null;
}

/** What the server says of the login. */
interface Found {
  readonly exists: boolean;
  /** The caller may administer it. */
  readonly ours: boolean;
  readonly holds: boolean;
  /** PostgreSQL makes the creator of a role its administrator. */
  readonly gives_admin: boolean;
}

/**
 * Makes the login if it is absent, gives it the URL's password if the caller administers it, and grants it
 * `role`. A login that someone else made keeps its password.
 */
export async function setLogin(
  client: Pick<pg.Client, "query">,
  serveUrl: string,
  role: string,
): Promise<Login> {
  const { username, password } = new URL(serveUrl);
  const login = decodeURIComponent(username);
  if (login === "") throw new ConfigError("ANNALS_SERVE_DATABASE_URL: does not name a login");
  const { rows } = await client.query<Found>(
    `SELECT found.oid IS NOT NULL AS exists,
            login <> current_user
              AND coalesce(pg_has_role(found.oid, 'MEMBER WITH ADMIN OPTION'), false) AS ours,
            login = current_user
              OR coalesce(pg_has_role(found.oid, $2::name, ${SET_RIGHT}), false) AS holds,
            current_setting('server_version_num')::int >= 160000 AS gives_admin
     FROM (VALUES ($1::name)) AS given (login) LEFT JOIN pg_roles AS found ON rolname = login`,
    [login, role],
  );
  const [is] = rows;
  const name = pg.escapeIdentifier(login);
  const secret =
    password === "" ? "" : `PASSWORD ${pg.escapeLiteral(verifier(decodeURIComponent(password)))}`;
  const isMade = !is?.exists;
  const isSet = secret !== "" && (isMade || is.ours);
  // The creator of a role must be able to administer it. PostgreSQL 16 grants that by itself.
  const admin = is?.gives_admin ? "" : "ADMIN CURRENT_USER";
  if (isMade) await client.query(`CREATE ROLE ${name} LOGIN NOINHERIT ${secret} ${admin}`);
  else if (isSet) await client.query(`ALTER ROLE ${name} ${secret}`);
  if (!is?.holds) await client.query(`GRANT ${pg.escapeIdentifier(role)} TO ${name}`);
  return { name: login, made: isMade, password_set: isSet, granted: is?.holds ? null : role };
}

/** What PostgreSQL stores of a password (RFC 5803), made here as psql's \password does. */
function verifier(password: string): string {
  const salt = randomBytes(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, "sha256");
  const keyOf = (use: string) => createHmac("sha256", salted).update(use).digest();
  const stored = hash("sha256", keyOf("Client Key"), "base64");
  const server = keyOf("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${stored}:${server}`;
}
