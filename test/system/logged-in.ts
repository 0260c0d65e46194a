// People who have logged in, made straight in the database, and what their browser does then. Called by tests
// on systems with the file of identity-file.ts. That a login makes such rows is shown in
// services/keys/src/sessions.

import { newId } from "@annals/contract";
import { newSessionCookie } from "@annals/keys/src/sessions/rules/session-cookie.ts";
import { type Answer, HttpClient, ownerOf } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { PROVIDER, PUBLIC_ORIGIN } from "./identity-file.ts";

export interface LoggedIn {
  readonly personId: string;
  readonly sessionId: string;
  readonly subject: string;
  /** The header that a browser sends with each request of this site. */
  readonly cookie: string;
  readonly post: (path: string, body?: object) => Promise<Answer>;
  /** A client of /v1 with a new access token for the account. */
  readonly client: (accountId: string) => Promise<HttpClient>;
}

interface Stack {
  readonly baseUrl: string;
  readonly databaseUrl: string;
}

/** A person of the groups, with a session of an hour. */
export async function logIn(
  { baseUrl, databaseUrl }: Stack,
  groups: readonly string[] = [],
): Promise<LoggedIn> {
  const owner = ownerOf(databaseUrl);
  const [personId, sessionId, subject] = [newId("usr"), newId("ses"), newId("key")];
  const { secretSha256, text } = newSessionCookie(randomBytes);
  await owner.query(
    `INSERT INTO keys.people (id, issuer, subject, provider, name, email, groups, created_at, last_login_at)
     VALUES ($1, $2, $3, $4, 'Ada', 'ada@example.com', $5, $6, $6)`,
    [personId, PROVIDER.issuer, subject, PROVIDER.name, groups, new Date().toISOString()],
  );
  await owner.query(
    `INSERT INTO keys.sessions (id, person_id, realm, secret_sha256, rotated_at, created_at, idle_at, expires_at)
     VALUES ($1, $2, 'dashboard', $3, now(), now(), now() + interval '1 hour', now() + interval '1 hour')`,
    [sessionId, personId, secretSha256],
  );
  await owner.close();
  const cookie = `__Host-annals-session=${text}`;
  const browser = new HttpClient(baseUrl);
  const post = (path: string, body: object = {}) =>
    browser.post(path, body, { headers: { cookie, origin: PUBLIC_ORIGIN } });
  const client = async (accountId: string) => {
    const answer = await post("/auth/token", { account_id: accountId });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return browser.as(answer.body.data.token);
  };
  return { personId, sessionId, subject, cookie, post, client };
}
