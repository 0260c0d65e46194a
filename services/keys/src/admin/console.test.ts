// Guarantees: an operator logs in to the admin API by an identity provider, and is whom the identity file
// names at each request; nobody else gets a session there. A session of the dashboard is none of the console,
// nor the other way round. A change comes from a page of the console, and the audit names the person. Real
// provider, real PostgreSQL, real HTTP.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { createSecretKey, randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Identity } from "../identity/rules/identity.ts";
import { openConsole, refusedEntries } from "../testing/console.ts";
import { migratedDatabase, storeKey } from "../testing/database.ts";
import { type IdentityProviderServer, PERSON } from "../testing/identity-provider.ts";
import { identitiesOf, providersOf, startProvider } from "../testing/log-in.ts";
import { storePerson, storeSession } from "../testing/people.ts";
import { storeWorkload } from "../testing/workloads.ts";
import { sessionsOf } from "../testing/sessions.ts";

const ORIGIN = "https://operators.example.com";
const TOKEN = "t".repeat(32);
const OWN = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
const NAME = "__Host-annals-operator";

let owner: TestDatabase;
let database: Pool;
let server: IdentityProviderServer;
let identities: { current: Identity };
let baseUrl: string;
let secrets: ReadonlyMap<string, ReturnType<typeof createSecretKey>>;

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
  const redirectUri = `${ORIGIN}/auth/callback/okta`;
  server = await startProvider({ redirectUri, claimsAreInIdToken: true }, afterAll);
  identities = identitiesOf(server.entry());
  secrets = new Map([["one", createSecretKey(randomBytes(32))]]);
  const api = await openConsole({ database, identities, origin: ORIGIN, secrets, token: TOKEN });
  baseUrl = `http://127.0.0.1:${api.port}`;
  afterAll(() => api.close());
});

beforeEach(() => {
  server.person = PERSON;
  identities.current = operatorsAre({ groups: ["audit"] });
});

/** The identity file with these operators. */
const operatorsAre = (operators: { groups?: string[]; subjects?: string[] }): Identity =>
  identitiesOf(server.entry({ operators: { groups: [], subjects: [], ...operators } })).current;

interface Asked {
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

async function ask(method: string, path: string, { body, cookie, headers }: Asked = {}) {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: "manual",
    headers: { ...(cookie !== undefined && { cookie }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get("location") ?? "",
    cookies: response.headers.getSetCookie(),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** Where a login leads, and the cookie of its session. */
async function logIn() {
  const begun = await ask("GET", "/auth/login/okta?return_to=%23/people");
  const [login = ""] = begun.cookies;
  const query = await server.logIn(begun.location);
  const [cookie = ""] = login.split(";");
  const finished = await ask("GET", `/auth/callback/okta?${query}`, { cookie });
  const session = finished.cookies.find((one) => one.startsWith(`${NAME}=`)) ?? "";
  return { begun, finished, set: session, cookie: session.split(";")[0] ?? "" };
}

const accounts = (cookie: string) => ask("GET", "/admin/v1/accounts", { cookie });
const create = (cookie: string, headers: Readonly<Record<string, string>>) =>
  ask("POST", "/admin/v1/accounts", { cookie, headers, body: { name: "Tenant" } });

test("an operator logs in, with a cookie that no page reads and no other site sends", async () => {
  const { begun, cookie, finished, set } = await logIn();
  expect(begun.cookies).toEqual([
    expect.stringMatching(
      /^__Host-annals-operator-login-[\w-]{8}=\S+; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/,
    ),
  ]);
  expect([finished.status, finished.location]).toEqual([303, "/console/#/people"]);
  expect(set).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  expect((await accounts(cookie)).status).toBe(200);
  const { body } = await ask("GET", "/auth/session", { cookie });
  expect(body.data).toMatchObject({ subject: "u-1", provider: { name: "okta", title: "Okta" } });
});

test("whom the file does not name gets no session, and reads why", async () => {
  identities.current = operatorsAre({ groups: ["others"], subjects: ["u-2"] });
  const { finished, set } = await logIn();
  expect(set).toBe("");
  expect(finished.location).toMatch(
    /^\/console\/#\/log-in\?fault=blocked&provider=okta&request=req_/,
  );
  identities.current = operatorsAre({ subjects: ["u-1"] });
  expect((await logIn()).set).not.toBe("");
});

test.each<[string, () => Identity]>([
  ["the group", () => operatorsAre({ groups: ["others"] })],
  ["everyone", () => operatorsAre({})],
  ["the provider", () => identitiesOf().current],
])("once %s has left the file, the next request is refused", async (_, next) => {
  const { cookie } = await logIn();
  expect((await accounts(cookie)).status).toBe(200);
  identities.current = next();
  expect((await accounts(cookie)).status).toBe(401);
  expect((await create(cookie, OWN)).status).toBe(401);
  expect((await ask("GET", "/auth/session", { cookie })).body).toEqual({ data: null });
});

test("a change comes from a page of the console, and a token needs none", async () => {
  const { cookie } = await logIn();
  const json = { "content-type": "application/json" };
  const count = async () => (await owner.query("SELECT FROM keys.accounts")).length;
  const before = await count();
  for (const headers of [
    json,
    { ...json, "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { ...json, "sec-fetch-site": "same-site", origin: "https://audit.example.com" },
  ])
    expect((await create(cookie, headers)).status).toBe(403);
  expect((await create(cookie, { ...OWN, "content-type": "text/plain" })).status).toBe(422);
  const { keyId } = await storeKey(database);
  const revoke = (headers: Readonly<Record<string, string>>) =>
    ask("DELETE", `/admin/v1/keys/${keyId}`, { cookie, headers });
  expect((await revoke({ "sec-fetch-site": "same-site" })).status).toBe(403);
  expect((await ask("POST", "/auth/logout", { cookie, headers: json, body: {} })).status).toBe(403);
  expect(await count()).toBe(before + 1);
  expect((await create(cookie, OWN)).status).toBe(201);
  expect((await create(cookie, { ...json, origin: ORIGIN })).status).toBe(201);
  expect((await revoke({ "sec-fetch-site": "same-origin" })).status).toBe(204);
  const authorization = `Bearer ${TOKEN}`;
  expect((await create("", { ...json, authorization })).status).toBe(201);
});

test("the audit names the person at the console", async () => {
  const { cookie } = await logIn();
  const { body: session } = await ask("GET", "/auth/session", { cookie });
  const { body } = await create(cookie, OWN);
  const { id } = body.data;
  await ask("PATCH", `/admin/v1/accounts/${id}`, { cookie, headers: OWN, body: { name: "B" } });
  const entries = await owner.query<{ event: string }>(
    "SELECT event FROM keys.audit_outbox WHERE account_id = $1 ORDER BY number",
    [id],
  );
  const actors = entries
    .map(({ event }) => JSON.parse(event))
    .map(({ action, actor }) => [action, actor]);
  const actor = { type: "operator", id: session.data.person_id };
  expect(actors).toEqual([
    ["annals.account.created", actor],
    ["annals.key.created", actor],
    ["annals.account.renamed", actor],
  ]);
});

test("a session of the dashboard is none of the console, nor the other way round", async () => {
  const { issuer } = server;
  const person = await storePerson(owner, { issuer, groups: ["audit"] });
  const [ofDashboard, ofConsole] = [
    await storeSession(owner, person),
    await storeSession(owner, person, { realm: "operator" }),
  ];
  expect((await accounts(`${NAME}=${ofDashboard.cookie}`)).status).toBe(401);
  expect((await accounts(`${NAME}=${ofConsole.cookie}`)).status).toBe(200);
  const providers = await providersOf(identities);
  const dashboard = sessionsOf({ database, identities, providers });
  expect(await dashboard.get(ofConsole.cookie)).toBeUndefined();
  expect(await dashboard.use(ofConsole.cookie)).toBeUndefined();
  expect(await dashboard.get(ofDashboard.cookie)).toBeDefined();
  expect((await accounts(`__Host-annals-session=${ofConsole.cookie}`)).status).toBe(401);
});

test("a login that began in the dashboard does not end in the console", async () => {
  const providers = await providersOf(identities, { publicUrl: ORIGIN });
  const dashboard = sessionsOf({ database, identities, providers, secrets });
  const { query, sealedLogin, statePrefix } = await dashboard.arrive(server);
  const cookie = `${NAME}-login-${statePrefix}=${sealedLogin}`;
  const { cookies, location } = await ask("GET", `/auth/callback/okta?${query}`, { cookie });
  expect(location).toMatch(/fault=state/);
  expect(cookies.some((one) => one.startsWith(`${NAME}=`))).toBe(false);
});

test("a logout ends the session, and who has none learns no path", async () => {
  const { cookie } = await logIn();
  const out = await ask("POST", "/auth/logout", { cookie, headers: OWN, body: {} });
  expect(out.body.data.end_session_url).toContain(server.issuer);
  expect((await accounts(cookie)).status).toBe(401);
  for (const path of ["/admin/v1/accounts", "/admin/v1/nothing", "/metrics"])
    expect((await ask("GET", path)).status).toBe(401);
});

test("only providers with operators are offered, and one of another name is a 404", async () => {
  identities.current = identitiesOf(
    server.entry({ operators: { groups: ["audit"], subjects: [] } }),
    server.entry({ name: "other", title: "Other", issuer: "https://other.example" }),
  ).current;
  const { body } = await ask("GET", "/auth/providers");
  expect(body.data).toEqual([{ name: "okta", title: "Okta" }]);
  expect((await ask("GET", "/auth/login/nobody")).status).toBe(404);
});

test("people are listed, and their sessions end, with the name of the operator", async () => {
  const { cookie } = await logIn();
  const { body: own } = await ask("GET", "/auth/session", { cookie });
  const actor = { type: "operator", id: own.data.person_id };
  const person = await storePerson(owner, { issuer: server.issuer });
  const session = await storeSession(owner, person);
  const change = (method: string, path: string, body?: object) =>
    ask(method, `/admin/v1/people/${person.personId}${path}`, {
      cookie,
      headers: OWN,
      ...(body && { body }),
    });
  const shown = async () => {
    const { body } = await ask("GET", "/admin/v1/people?limit=100", { cookie });
    return body.data.find(({ id }: { readonly id: string }) => id === person.personId);
  };
  expect(await shown()).toMatchObject({ name: "Ada", blocked_at: null, live_sessions: 1 });
  expect((await change("DELETE", "/sessions")).body.data).toMatchObject({ sessions_ended: 1 });
  const [ended] = await owner.query<{ event: string }>(
    "SELECT event FROM keys.audit_outbox WHERE event LIKE $1",
    [`%${session.sessionId}%`],
  );
  expect(JSON.parse(ended?.event ?? "{}")).toMatchObject({
    action: "annals.session.ended",
    actor,
    metadata: { ending: "operator", person: person.personId },
  });
  expect((await change("POST", "/block", {})).body.data).toMatchObject({ blocked: true });
  expect(await shown()).toMatchObject({ blocked_at: expect.any(String), live_sessions: 0 });
  expect((await change("POST", "/block", {})).status).toBe(404);
  expect((await change("POST", "/unblock", {})).status).toBe(200);
  expect(await shown()).toMatchObject({ blocked_at: null });
});

test("roles of an account are given and taken back", async () => {
  const { cookie } = await logIn();
  const { accountId } = await storeKey(database);
  const path = `/admin/v1/accounts/${accountId}/role-mappings`;
  const role = { provider: "okta", group: "auditors", role: "auditor" };
  const made = await ask("POST", path, { cookie, headers: OWN, body: role });
  expect([made.status, made.body.data]).toEqual([201, expect.objectContaining(role)]);
  expect((await ask("GET", path, { cookie })).body).toEqual({
    data: [made.body.data],
    has_more: false,
    next_cursor: null,
  });
  const remove = () => ask("DELETE", `${path}/${made.body.data.id}`, { cookie, headers: OWN });
  expect((await remove()).status).toBe(204);
  expect((await remove()).status).toBe(404);
  const wrong = await ask("POST", path, { cookie, headers: OWN, body: { ...role, provider: "x" } });
  expect([wrong.status, wrong.body.error.details[0].field]).toEqual([422, "provider"]);
  expect((await ask("GET", "/admin/v1/accounts/acct_0/role-mappings", { cookie })).status).toBe(
    404,
  );
});

test("the workloads of an account are listed, and deleted with the name of the operator", async () => {
  const { cookie } = await logIn();
  const { body: own } = await ask("GET", "/auth/session", { cookie });
  const { accountId } = await storeKey(database);
  const id = await storeWorkload(database, accountId, { allowedIps: ["10.0.0.0/8"] });
  const path = `/admin/v1/accounts/${accountId}/workloads`;
  const { body } = await ask("GET", path, { cookie });
  expect(body.data).toEqual([
    expect.objectContaining({ id, issuer: "cluster", allowed_ips: ["10.0.0.0/8"] }),
  ]);
  const remove = (of: string) => ask("DELETE", `${of}/${id}`, { cookie, headers: OWN });
  const { accountId: other } = await storeKey(database);
  expect((await remove(path.replace(accountId, other))).status).toBe(404);
  expect((await remove(path)).status).toBe(204);
  expect((await ask("GET", path, { cookie })).body.data).toEqual([]);
  const [entry] = await owner.query<{ event: string }>(
    "SELECT event FROM keys.audit_outbox WHERE account_id = $1 AND event LIKE '%workload.deleted%'",
    [accountId],
  );
  const actor = { type: "operator", id: own.data.person_id };
  expect(JSON.parse(entry?.event ?? "{}")).toMatchObject({ actor, target: { id } });
  expect(await refusedEntries(owner)).toEqual([]);
});
