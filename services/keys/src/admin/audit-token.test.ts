// Guarantee: the page of the console gets a widget token of the system account for its own origin, which ends
// with the session, and the audit has it with the operator's name. A program gets none. Real PostgreSQL, real
// HTTP.

import { keyHash } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openConsole, refusedEntries } from "../testing/console.ts";
import { migratedDatabase } from "../testing/database.ts";
import { type IdentityProviderServer } from "../testing/identity-provider.ts";
import { identitiesOf, startProvider } from "../testing/log-in.ts";
import { storePerson, storeSession } from "../testing/people.ts";

const ORIGIN = "https://operators.example.com";
const TOKEN = "t".repeat(32);
const OWN = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

let owner: TestDatabase;
let database: Pool;
let server: IdentityProviderServer;
let baseUrl: string;

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
  const redirectUri = `${ORIGIN}/auth/callback/okta`;
  server = await startProvider({ redirectUri }, afterAll);
  const operators = { groups: ["operators"], subjects: [] };
  const identities = identitiesOf(server.entry({ operators }));
  const api = await openConsole({ database, identities, origin: ORIGIN, token: TOKEN });
  baseUrl = `http://127.0.0.1:${api.port}`;
  afterAll(() => api.close());
});

async function ask(headers: Readonly<Record<string, string>>) {
  const init = { method: "POST", headers: { ...OWN, ...headers }, body: "{}" };
  const response = await fetch(`${baseUrl}/admin/v1/audit-token`, init);
  return { status: response.status, body: (await response.json()) as { data: Minted } };
}

interface Minted {
  readonly token: string;
  readonly expires_at: string;
  readonly server: string;
}

test("an operator gets a token of the session, for the origin of the console", async () => {
  const { issuer } = server;
  const person = await storePerson(owner, { issuer, groups: ["operators"] });
  const { cookie, sessionId } = await storeSession(owner, person, { realm: "operator" });
  const { body, status } = await ask({ cookie: `__Host-annals-operator=${cookie}` });
  expect([status, body.data.server]).toEqual([201, "https://audit.example.com"]);
  const [row] = await owner.query(
    `SELECT account_id, session_id, created_by, origins, id FROM keys.widget_tokens
     WHERE secret_sha256 = $1`,
    [keyHash(body.data.token)],
  );
  expect(row).toMatchObject({
    account_id: "acct_system",
    session_id: sessionId,
    created_by: person.personId,
    origins: [ORIGIN],
  });
  const [entry] = await owner.query<{ event: string }>(
    "SELECT event FROM keys.audit_outbox WHERE event LIKE '%widget_token.created%'",
  );
  expect(JSON.parse(entry?.event ?? "{}")).toMatchObject({
    actor: { type: "operator", id: person.personId },
    target: { type: "widget_token", id: row?.["id"] },
  });
  expect(await refusedEntries(owner)).toEqual([]);
});

test("a program gets none, and nor does a page of another site", async () => {
  expect((await ask({ authorization: `Bearer ${TOKEN}` })).status).toBe(403);
  expect((await ask({})).status).toBe(401);
  const { issuer } = server;
  const person = await storePerson(owner, { issuer, groups: ["operators"] });
  const { cookie } = await storeSession(owner, person, { realm: "operator" });
  const crossSite = { "sec-fetch-site": "same-site", cookie: `__Host-annals-operator=${cookie}` };
  expect((await ask(crossSite)).status).toBe(403);
});
