// A person with a session, and an identity file with the person's provider, for the commands `annals people`.

import type { TestDatabase } from "@annals/testing";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The id of the examples. */
export const PERSON = "usr_3n6q9s2v5x8z1b4d7f0h3k6m9p";

/** The file is `identity.json` of the folder. */
export async function storePerson(
  database: Pick<TestDatabase, "query">,
  folder: string,
): Promise<void> {
  await database.query(
    `INSERT INTO keys.people (id, issuer, subject, provider, groups, created_at, last_login_at)
     VALUES ($1, 'https://example.okta.com', 'u-1', 'okta', '{}', '2026-01-31', '2026-01-31')`,
    [PERSON],
  );
  await database.query(
    `INSERT INTO keys.sessions (id, person_id, realm, secret_sha256, rotated_at, created_at, idle_at, expires_at)
     VALUES ('ses_1', $1, 'dashboard', sha256('a'), now(), now(), '2100-01-31', '2100-01-31')`,
    [PERSON],
  );
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
