// A person with a session, an identity file with the person's provider, a role mapping and a workload, for
// the commands `annals people` and `annals workloads`.

import type { TestDatabase } from "@annals/testing";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The ids of the examples. */
export const PERSON = "usr_3n6q9s2v5x8z1b4d7f0h3k6m9p";
export const MAPPING = "rmap_5d8g1k4n7q0t3w6z9c2f5j8m1p";
export const WORKLOAD = "wkl_4c7f0j3m6p9s2v5y8b1e4h7k0n";

type Owner = Pick<TestDatabase, "query">;

/** The file is `identity.json` of the folder. */
export async function storePerson(database: Owner, folder: string): Promise<void> {
  await database.query(
    `INSERT INTO keys.people (id, issuer, subject, provider, groups, created_at, last_login_at)
     VALUES ($1, 'https://example.okta.com', 'u-1', 'okta', '{}', '2026-01-31', '2026-01-31')`,
    [PERSON],
  );
  await storeSession(database);
  const okta = {
    name: "okta",
    title: "Okta",
    issuer: "https://example.okta.com",
    client_id: "0oa1",
    client_secret_file: join(folder, "secret"),
    accounts: "*",
  };
  await writeFile(join(folder, "secret"), "secret\n", { mode: 0o600 });
  await writeFile(join(folder, "identity.json"), JSON.stringify({ people: [okta] }));
}

/** A session of the person. */
export async function storeSession(database: Owner): Promise<void> {
  await database.query(
    `INSERT INTO keys.sessions (id, person_id, realm, secret_sha256, rotated_at, created_at, idle_at, expires_at)
     VALUES ('ses_1', $1, 'dashboard', sha256('a'), now(), now(), '2100-01-31', '2100-01-31')`,
    [PERSON],
  );
}

/** Gives the role of a viewer to the group `readers`. */
export async function storeMapping(database: Owner, accountId: string): Promise<void> {
  await database.query(
    `INSERT INTO keys.role_mappings (account_id, id, provider, group_name, role, created_at)
     VALUES ($1, $2, 'okta', 'readers', 'viewer', '2026-01-31')`,
    [accountId, MAPPING],
  );
}

export async function storeWorkload(database: Owner, accountId: string): Promise<void> {
  await database.query(
    `INSERT INTO keys.workloads (account_id, id, name, issuer, subject, claims, scopes, created_at)
     VALUES ($1, $2, 'collector', 'cluster', 'system:serviceaccount:logs:collector', '{}', '{events:write}', '2026-01-31')`,
    [accountId, WORKLOAD],
  );
}
