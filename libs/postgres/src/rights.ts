// The role of a service and its rights, as its migrations declare them: the block that creates the role,
// and every GRANT and REVOKE in order, also in a block of its own. Called by migrate.ts each time. After a
// restore the role may be absent or have other rights, because roles belong to the server and no dump of a
// database holds them.

import type pg from "pg";

/** At the beginning of a line, as all migrations have them. */
const STATEMENT = /^(?:DO \$\$[^]*?^\$\$;|(?:GRANT|REVOKE)\s[^;]*;)/gm;
const CREATE_ROLE = /\bCREATE ROLE (\w+)/;
const GRANT_ROLE = /^GRANT (\w+) TO CURRENT_USER;$/;

/**
 * SQL: what `pg_has_role` calls the right to take on a role. PostgreSQL 15 does not know SET: there each
 * member has this right.
 */
export const SET_RIGHT =
  "CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END";

/**
 * SQL: the caller may take on the role, and a superuser is also a member of it: that shows who has created
 * it (roles.ts).
 */
const HELD = `pg_has_role(current_user, oid, ${SET_RIGHT}) AND EXISTS (
  SELECT FROM pg_roles AS caller WHERE caller.rolname = current_user AND (NOT caller.rolsuper OR EXISTS (
    SELECT FROM pg_auth_members WHERE roleid = pg_roles.oid AND member = caller.oid)))`;

/** The roles that the migrations create: a service has one. */
export function rolesOf(migrations: readonly string[]): string[] {
  return migrations.flatMap((sql) =>
    (sql.match(STATEMENT) ?? []).flatMap((block) => CREATE_ROLE.exec(block)?.[1] ?? []),
  );
}

/**
 * Makes the role and gives it exactly the rights of the migrations, whatever it has now. A login needs no
 * right to create or to grant a role that it has already.
 */
export async function setRights(
  client: Pick<pg.Client, "query">,
  schema: string,
  migrations: readonly string[],
): Promise<void> {
  const holds = async (condition: string, role: string): Promise<boolean> =>
    (await client.query(`SELECT FROM pg_roles WHERE rolname = $1 AND ${condition}`, [role])).rows
      .length > 0;
  const declared = migrations.flatMap((sql) => sql.match(STATEMENT) ?? []);
  for (const creation of declared) {
    const role = CREATE_ROLE.exec(creation)?.[1];
    if (role === undefined) continue;
    if (!(await holds("true", role))) await client.query(creation);
    await client.query(`REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${role}`);
    await client.query(`REVOKE ALL ON SCHEMA ${schema} FROM ${role}`);
  }
  for (const grant of declared.filter((each) => !CREATE_ROLE.test(each))) {
    const role = GRANT_ROLE.exec(grant)?.[1];
    if (role === undefined || !(await holds(HELD, role))) await client.query(grant);
  }
}
