// Guarantee: a person logs in through a real identity provider, and does in an account what a role mapping
// gives, by access tokens of the session and by nothing else: no cookie works under /v1. A logout here, one
// at the provider, a mapping that is deleted and a provider that leaves the file end the next request. No
// code, token, cookie, name or e-mail is in a log or in the chain of the system account. The services read an
// identity file, so the system is the file's own.

import { IdentityProviderServer, PERSON } from "@annals/keys/src/testing/identity-provider.ts";
import type { Stack } from "@annals/local";
import { eventually, HttpClient, newClient, newKey, type TestAccount } from "@annals/testing";
import {
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from "vitest";
import { Browser } from "../system/browser.ts";
import { startConstellation } from "../system/constellation.ts";
import { loadUntilEnd } from "../system/load-until-end.ts";

/** The address at which the browser believes the gateway to be. */
const ORIGIN = "https://audit.example.com";

/** No test reaches it. */
const RATE_LIMIT = "100000";

const folder = mkdtempDisposableSync(join(tmpdir(), "annals-people-"));
const identityFile = join(folder.path, "identity.json");

let server: IdentityProviderServer;
let stack: Stack;
let account: TestAccount & { readonly client: HttpClient };
let mappingId: string;
/** What must be written nowhere. */
const secrets = new Set<string>([PERSON.name, PERSON.email]);

beforeAll(async () => {
  server = await IdentityProviderServer.start({ redirectUri: `${ORIGIN}/auth/callback/okta` });
  writeFileSync(join(folder.path, "secret"), server.entry().clientSecret);
  useProviders("okta");
  const people = { ANNALS_PUBLIC_URL: ORIGIN };
  stack = await startConstellation({
    shared: inject("stack"),
    env: {
      gateway: people,
      keys: {
        ...people,
        ANNALS_IDENTITY_FILE: identityFile,
        ANNALS_PERSON_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
        ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
      },
    },
    without: ["nats", "export", "webhook-dispatcher"],
  });
  server.restart({ backchannelUri: `${stack.baseUrls[0]}/auth/backchannel/okta` });
});
afterAll(async () => {
  await stack.stop();
  await server.close();
  folder.remove();
});

/** Replaces the file at once. */
function useProviders(...names: readonly string[]): void {
  const people = names.map((name) => ({
    name,
    title: "Okta",
    issuer: server.issuer,
    client_id: server.entry().clientId,
    client_secret_file: join(folder.path, "secret"),
    scopes: server.entry().scopes,
    accounts: "*",
  }));
  writeFileSync(`${identityFile}.new`, JSON.stringify({ people }));
  renameSync(`${identityFile}.new`, identityFile);
}

/** A browser at the origin of the gateway, which logs in at the provider. */
class PersonsBrowser extends Browser {
  constructor() {
    super(stack.baseUrls[0] ?? "", ORIGIN);
  }

  /** Logs in from end to end. Resolves to where the browser is sent at last. */
  async logIn(): Promise<string> {
    const begun = await this.get(`/auth/login/okta?return_to=${encodeURIComponent("#/events")}`);
    const query = await server.logIn(begun.headers["location"] ?? "");
    secrets.add(new URLSearchParams(query).get("code") ?? "").add(server.lastIdToken);
    const finished = await this.get(`/auth/callback/okta?${query}`);
    secrets.add(this.session).add(server.lastIdToken);
    return finished.headers["location"] ?? "";
  }

  /** A client of /v1 with an access token of the session. */
  async client(): Promise<HttpClient> {
    const answer = await this.post("/auth/token", { account_id: account.accountId });
    if (answer.status !== 200) throw new Error(`no token: ${answer.text} ${warningsOfKeys()}`);
    secrets.add(answer.body.data.token);
    return new HttpClient(stack.baseUrls[0] ?? "", answer.body.data.token);
  }
}

/** What keys has logged that an operator should see. */
function warningsOfKeys(): string {
  const lines = readFileSync(join(stack.dataDir, "log/keys-1.log"), "utf8").split("\n");
  return lines.filter((line) => /"level":"(error|warn)"/.test(line)).join("\n");
}

async function map(role: string): Promise<string> {
  const mapping = { provider: "okta", group: "audit", role };
  const answer = await account.client.post("/v1/role-mappings", mapping);
  expect(answer.status).toBe(201);
  return answer.body.data.id;
}

/** An account in which the person is a viewer. */
beforeEach(async () => {
  account = await newClient(stack);
  mappingId = await map("viewer");
});

test("a viewer reads events, and nothing more, by access tokens alone", async () => {
  const browser = new PersonsBrowser();
  expect((await browser.get("/auth/providers")).body).toEqual({
    data: [{ name: "okta", title: "Okta" }],
    public_url: ORIGIN,
    key_login: true,
  });
  expect((await browser.get("/auth/session")).body).toEqual({ data: null });
  expect(await browser.logIn()).toBe("/dashboard/#/events");
  const { body } = await browser.get("/auth/session");
  expect(body.data).toMatchObject({ subject: "u-1", name: PERSON.name, groups: PERSON.groups });
  expect(body.data.accounts).toContainEqual({
    account_id: account.accountId,
    name: expect.any(String),
    role: "viewer",
    role_mapping_id: mappingId,
    group: "audit",
  });
  const viewer = await browser.client();
  expect((await viewer.get("/v1/events")).status).toBe(200);
  expect((await viewer.post("/v1/events", { action: "a" })).status).toBe(403);
  expect((await viewer.get("/v1/api-keys")).status).toBe(403);
  const cookie = { headers: { cookie: browser.cookie } };
  expect((await new HttpClient(stack.baseUrls[0] ?? "").get("/v1/events", cookie)).status).toBe(
    401,
  );
});

test("an account without a mapping of the person gives no token", async () => {
  const other = await newClient(stack);
  const browser = new PersonsBrowser();
  await browser.logIn();
  const answer = await browser.post("/auth/token", { account_id: other.accountId });
  expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden"]);
});

describe("the next request is refused after", () => {
  let browser: PersonsBrowser;
  let viewer: HttpClient;

  beforeEach(async () => {
    browser = new PersonsBrowser();
    await browser.logIn();
    viewer = await browser.client();
    await eventually("the token works", async () => (await status()) === 200);
  });
  const status = async () => (await viewer.get("/v1/events")).status;

  test("a logout, which leads to that at the provider", async () => {
    const answer = await browser.post("/auth/logout", {});
    expect(answer.body.data.end_session_url).toContain(`${server.issuer}/session/end?`);
    expect(await status()).toBe(401);
    expect(browser.session).toBe("");
  });

  test("a logout at the provider, which it announces itself", async () => {
    const other = new PersonsBrowser();
    await other.logIn();
    await server.logOut("u-1", server.sidOf(server.lastIdToken));
    expect(await status()).toBe(200);
    expect((await other.get("/auth/session")).body).toEqual({ data: null });
  });

  test("the same under load, and one of a widget token", async () => {
    const { body } = await viewer.post("/v1/widget-tokens", {});
    const widget = viewer.as(body.data.token);
    const read = async (worker: number) =>
      (worker % 4 === 0
        ? await widget.get("/v1/widget/events?limit=1")
        : await viewer.get("/v1/events?limit=1")
      ).status;
    const { atProvider: each } = inject("form").peopleRevocation;
    const end = () => server.logOut("u-1", server.sidOf(server.lastIdToken));
    const { after, before, requests } = await loadUntilEnd(each, read, end);
    expect(before[200]).toBeGreaterThan(requests / 2);
    expect(after).toEqual({ 401: requests });
  });

  test("its mapping was deleted", async () => {
    expect((await account.client.delete(`/v1/role-mappings/${mappingId}`)).status).toBe(204);
    expect(await status()).toBe(401);
  });

  test("a mapping to no role was made", async () => {
    await map("none");
    expect(await status()).toBe(401);
  });

  test("its provider has left the file, any number at a time, and works again when it is back", async () => {
    useProviders();
    await eventually("the provider has left", async () => (await status()) === 401);
    const { each } = inject("form").peopleRevocation;
    const statuses = await Promise.all(Array.from({ length: each }, status));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect((await browser.get("/auth/providers")).body).toMatchObject({ data: [] });
    useProviders("okta");
    await eventually("the provider is back", async () => (await status()) === 200);
  });
});

test("a login that was begun elsewhere leads to its text, with the id of the request", async () => {
  const [own, foreign] = [new PersonsBrowser(), new PersonsBrowser()];
  const begun = await foreign.get("/auth/login/okta");
  const query = await server.logIn(begun.headers["location"] ?? "");
  const answer = await own.get(`/auth/callback/okta?${query}`);
  expect(answer.headers["location"]).toMatch(/^\/dashboard\/#\/log-in\?fault=state&.*request=req_/);
  expect(own.session).toBe("");
});

test("a provider that hangs fails its logins, and nothing else", async () => {
  const browser = new PersonsBrowser();
  await browser.logIn();
  const hanging = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  onTestFinished(() => {
    hanging.resolve();
  });
  server.changes.set("/token", async (response) => {
    arrived.resolve();
    await hanging.promise;
    return response;
  });
  const late = new PersonsBrowser();
  const login = late.logIn();
  await arrived.promise;
  const viewer = await browser.client();
  expect((await viewer.get("/v1/events")).status).toBe(200);
  expect((await browser.get("/auth/session")).body.data).toMatchObject({ subject: "u-1" });
  const ready = await Promise.all(
    stack.processes.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/readyz`)).status),
  );
  expect(new Set(ready)).toEqual(new Set([200]));
  // Nobody ends it but keys, after the time of a login.
  expect(await login).toMatch(
    /^\/dashboard\/#\/log-in\?fault=unreachable&provider=okta&.*request=/,
  );
  expect(late.session).toBe("");
  server.changes.clear();
});

test("nothing of what was sent is in a log, or in the chain of the system account", async () => {
  const logs = join(stack.dataDir, "log");
  const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
  const { key } = await newKey(stack.databaseUrl, "acct_system", ["events:read"]);
  const system = new HttpClient(stack.baseUrls[0] ?? "", key);
  let chain = "";
  await eventually("the audit has the sessions", async () => {
    chain = (await system.get("/v1/events?order=desc&limit=100")).text;
    const actions = ["person.created", "session.started", "session.ended", "role_mapping.deleted"];
    return actions.every((action) => chain.includes(`annals.${action}`));
  });
  const written = [...texts, chain].join("\n");
  const found = [...secrets].filter((secret) => secret.length > 3 && written.includes(secret));
  expect(secrets.size).toBeGreaterThan(10);
  expect(found).toEqual([]);
});
