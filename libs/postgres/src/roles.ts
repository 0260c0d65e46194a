// The names of the roles of this installation. Roles belong to the server, so a second installation there has
// another prefix. Called wherever a role is named: by migrate.ts, by services and by their commands. Code and
// migrations name each role as it is with the default prefix.

import type pg from "pg";
import { rolesOf } from "./rights.ts";

const DECLARED = /^annals(?=_)/;

/** Returns the role's name with the prefix of this installation. */
export function roleWith(prefix: string, role: string): string {
  return role.replace(DECLARED, prefix);
}

/** Returns the SQL of migrations with the roles that they make named by the prefix. */
export function withPrefix(prefix: string, files: readonly string[]): string[] {
  const roles = rolesOf(files).filter((role) => DECLARED.test(role));
  if (roles.length === 0) return [...files];
  const named = new RegExp(String.raw`\b(?:${roles.join("|")})\b`, "g");
  return files.map((sql) => sql.replaceAll(named, (role) => roleWith(prefix, role)));
}

/** The roles whose members the current user is, by itself or by another role. */
const HELD = `
  WITH RECURSIVE held (role) AS (
    SELECT roleid FROM pg_auth_members WHERE member = (SELECT oid FROM pg_roles WHERE rolname = current_user)
    UNION
    SELECT roleid FROM pg_auth_members JOIN held ON member = role
  )`;

type Client = Pick<pg.Client, "query">;

/**
 * Throws if a role exists and is another installation's: the login of `migrate` has neither made it nor got
 * it. A superuser, and a creator of roles before PostgreSQL 16, could take such a role all the same.
 */
export async function refuseForeignRoles(client: Client, roles: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ role: string; login: string }>(
    `${HELD}
     SELECT rolname AS role, current_user AS login FROM pg_roles
     WHERE rolname = ANY ($1::text[]) AND oid NOT IN (SELECT role FROM held)
     ORDER BY 1`,
    [roles],
  );
  const [foreign] = rows;
  if (foreign === undefined) return;
  const { login, role } = foreign;
  throw new Error(
    `the role ${role} exists, and ${login} has not created it: another installation in this server has it. ` +
      "Set ANNALS_DATABASE_ROLE_PREFIX to a prefix of its own for this one. " +
      `If the role is of this installation: GRANT ${role} TO ${login} WITH ADMIN OPTION`,
  );
}

/** Throws if the schema was migrated with another prefix: its role would keep its rights. */
export async function refuseOtherPrefix(
  client: Client,
  schema: string,
  roles: readonly string[],
): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `SELECT DISTINCT pg_get_userbyid(grantee)::text AS role
     FROM pg_namespace CROSS JOIN LATERAL aclexplode(nspacl)
     WHERE nspname = $1 AND grantee <> 0 AND grantee <> nspowner AND privilege_type = 'USAGE'
     ORDER BY 1`,
    [schema],
  );
  const holders = rows.map(({ role }) => role);
  if (roles.some((role) => holders.includes(role))) return;
  const other = holders.find((role) => role.endsWith(`_${schema}`));
  if (other === undefined || roles.length === 0) return;
  const prefix = other.slice(0, -schema.length - 1);
  throw new Error(
    `the schema ${schema} was migrated with the role ${other}: set ANNALS_DATABASE_ROLE_PREFIX to ${prefix}`,
  );
}

/**
 * SQL: who uses this database: owners and grantees of its schemas, its own grantees, and members of all
 * these.
 */
const USERS = `
  WITH RECURSIVE named (role) AS (
    SELECT nspowner FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
    UNION
    SELECT grantee FROM pg_namespace CROSS JOIN LATERAL aclexplode(nspacl)
    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
    UNION
    SELECT grantee FROM pg_database CROSS JOIN LATERAL aclexplode(datacl) WHERE datname = current_database()
  ), users (role) AS (
    SELECT role FROM named
    UNION
    SELECT member FROM pg_auth_members JOIN users ON roleid = role
  )`;

/** Who may connect to the database, with the name of the field in the log. */
export type Access = "any login" | "its own logins";

/**
 * Lets only the users of this database connect to it, if the login owns it: the logins of another
 * installation in the server have no right to read it then. Call it when all rights are set.
 */
export async function closeDatabase(client: Client): Promise<Access> {
  const { rows } = await client.query<{ name: string; is_owned: boolean; is_open: boolean }>(
    `SELECT quote_ident(datname) AS name, pg_has_role(datdba, 'USAGE') AS is_owned,
       EXISTS (SELECT 1 FROM aclexplode(coalesce(datacl, acldefault('d', datdba)))
               WHERE grantee = 0 AND privilege_type = 'CONNECT') AS is_open
     FROM pg_database WHERE datname = current_database()`,
  );
  const [database] = rows;
  if (!database?.is_owned) return database?.is_open === false ? "its own logins" : "any login";
  if (database.is_open)
    await client.query(`REVOKE CONNECT ON DATABASE ${database.name} FROM PUBLIC`);
  const users = await client.query<{ name: string }>(
    `${USERS}
     SELECT quote_ident(rolname) AS name FROM pg_roles
     WHERE oid IN (SELECT role FROM users) AND rolname !~ '^pg_'
       AND NOT has_database_privilege(oid, current_database(), 'CONNECT')
     ORDER BY 1`,
  );
  const names = users.rows.map(({ name }) => name).join(", ");
  if (names !== "") await client.query(`GRANT CONNECT ON DATABASE ${database.name} TO ${names}`);
  return "its own logins";
}
