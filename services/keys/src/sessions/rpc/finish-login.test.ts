// Guarantee: a login begins a session only for the browser that began it, once, at the provider where it
// began, within ten minutes. A person is an issuer and a subject; a blocked one begins none. Ten sessions are
// kept. The log has the reason of a refusal, and neither codes, tokens nor cookies. Real provider, real
// PostgreSQL.

import { type Clock, formatMicros, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { LoginFault } from "@annals/proto/keys";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratedDatabase } from "../../testing/database.ts";
import { type IdentityProviderServer, PERSON } from "../../testing/identity-provider.ts";
import { identitiesOf, providersOf, PUBLIC_URL, startProvider } from "../../testing/log-in.ts";
import { type Login, type Sessions, sessionsOf } from "../../testing/sessions.ts";
import { STATE_KEPT_MINUTES, stateSha256 } from "../rules/spent-token.ts";
import { spendToken } from "../store/spend-token.ts";

let owner: TestDatabase;
let database: Pool;
let server: IdentityProviderServer;
let other: IdentityProviderServer;
let around: Parameters<typeof sessionsOf>[0];
let sessions: Sessions;

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
  server = await startProvider({}, afterAll);
  other = await startProvider({ redirectUri: `${PUBLIC_URL}/auth/callback/other` }, afterAll);
  const identities = identitiesOf(server.entry(), other.entry({ name: "other" }));
  around = { database, identities, providers: await providersOf(identities) };
  sessions = sessionsOf(around);
});

const people = () =>
  owner.query<{ subject: string; name: string; groups: string[]; blocked_at: string | null }>(
    "SELECT subject, name, groups, blocked_at FROM keys.people ORDER BY created_at",
  );
const count = async (table: string): Promise<number> =>
  (await owner.query(`SELECT FROM keys.${table}`)).length;
const actions = async () =>
  (await owner.query<{ event: string }>("SELECT event FROM keys.audit_outbox ORDER BY number")).map(
    ({ event }) => event,
  );

test("a login begins a session of the person, and a further one of the same person", async () => {
  server.person = PERSON;
  const first = await sessions.finish(await sessions.arrive(server));
  expect(first).toEqual({
    cookie: expect.stringMatching(/^[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$/),
    returnTo: "#/acct_1/events",
  });
  server.person = { ...PERSON, name: "Ada King", email: "ada@example.org", groups: ["audit"] };
  const second = await sessions.finish(await sessions.arrive(server));
  expect(second.cookie).not.toBe(first.cookie);
  expect(await people()).toEqual([
    { subject: "u-1", name: "Ada King", groups: ["audit"], blocked_at: null },
  ]);
  const session = await sessions.get(first.cookie ?? "");
  expect(session).toMatchObject({
    personId: expect.stringMatching(/^usr_/),
    provider: { name: "okta", title: "Okta" },
    subject: "u-1",
    name: "Ada King",
    email: "ada@example.org",
    groups: ["audit"],
  });
  expect((await sessions.get(second.cookie ?? ""))?.personId).toBe(session?.personId);
  const entries = (await actions()).join("\n");
  for (const shown of ["annals.person.created", "annals.session.started", session?.personId])
    expect(entries).toContain(shown);
  for (const hidden of ["Ada", "ada@", "u-1"]) expect(entries).not.toContain(hidden);
});

test("the same subject and e-mail at another provider is another person", async () => {
  other.person = PERSON;
  const own = await sessions.finish(await sessions.arrive(server));
  const foreign = await sessions.finish(await sessions.arrive(other, "other"), "other");
  const ids = [own, foreign].map(async ({ cookie = "" }) => (await sessions.get(cookie))?.personId);
  expect(new Set(await Promise.all(ids)).size).toBe(2);
  expect((await people()).map(({ subject }) => subject)).toEqual(["u-1", "u-1"]);
});

describe("a forged or repeated callback begins no session", () => {
  let login: Login;
  let before: number;

  const outcome = async (
    change: Partial<Login>,
    at: { sessions?: Sessions; provider?: string } = {},
  ) => {
    before = await count("sessions");
    const asked = server.requests.length;
    const {
      cookie,
      detail = "",
      fault = LoginFault.UNSPECIFIED,
    } = await (at.sessions ?? sessions).finish({ ...login, ...change }, at.provider);
    expect(cookie).toBeUndefined();
    expect(await count("sessions")).toBe(before);
    const isAsked = server.requests.slice(asked).includes("POST /token");
    return `${LoginFault[fault]} ${detail}${isAsked ? " asked" : ""}`.trim();
  };
  const change = (work: (query: URLSearchParams) => void): { readonly query: string } => {
    const query = new URLSearchParams(login.query);
    work(query);
    return { query: query.toString() };
  };

  beforeAll(async () => {
    login = await sessions.arrive(server);
  });

  test("without a cookie", async () => {
    expect(await outcome({ sealedLogin: "" })).toBe("STATE");
  });
  test("with the cookie of another login", async () => {
    const { sealedLogin } = await sessions.arrive(server);
    expect(await outcome({ sealedLogin })).toBe("STATE");
  });
  test("with a cookie that was changed", async () => {
    expect(await outcome({ sealedLogin: login.sealedLogin.replace(/..$/, "AA") })).toBe("STATE");
  });
  test("with a cookie of another installation", async () => {
    expect(await outcome({}, { sessions: sessionsOf(around) })).toBe("STATE");
  });
  test("at another provider", async () => {
    expect(await outcome({}, { provider: "other" })).toBe("STATE");
  });
  test("without a state", async () => {
    expect(await outcome(change((query) => query.delete("state")))).toBe("STATE");
  });
  test("with another state", async () => {
    expect(await outcome(change((query) => query.set("state", "other")))).toBe("STATE");
  });
  test("with two states", async () => {
    expect(await outcome(change((query) => query.append("state", "other")))).toBe("STATE");
  });
  test("from another issuer", async () => {
    const query = change((one) => one.set("iss", other.issuer));
    expect(await outcome(query)).toBe("TOKEN authorization");
  });
  test("without an issuer, which the provider says it sends", async () => {
    expect(await outcome(change((query) => query.delete("iss")))).toBe("TOKEN authorization");
  });
  test("without a code", async () => {
    expect(await outcome(change((query) => query.delete("code")))).toBe("TOKEN format");
  });
  test("with two codes", async () => {
    expect(await outcome(change((query) => query.append("code", "x")))).toMatch(/^TOKEN/);
  });
  test("with an ID token in the place of a code", async () => {
    const query = change((one) => one.set("id_token", "a.b.c"));
    expect(await outcome(query)).toMatch(/^TOKEN/);
  });
  test("with a response that is a JWT", async () => {
    expect(await outcome(change((query) => query.set("response", "a.b.c")))).toMatch(/^TOKEN/);
  });
  test("with the code of another login, for which the verifier is not right", async () => {
    const { query } = await sessions.arrive(server);
    const code = new URLSearchParams(query).get("code") ?? "";
    expect(await outcome(change((one) => one.set("code", code)))).toBe(
      "REFUSED invalid_grant asked",
    );
  });
  test("eleven minutes after it began", async () => {
    const late = systemClock().nowMicros() + 660_000_000;
    const clock: Clock = { nowMicros: () => late, nowText: () => formatMicros(late) };
    const begun = await sessions.arrive(server);
    const slow = sessionsOf({ ...around, clock, secrets: sessions.secrets });
    expect(await outcome(begun, { sessions: slow })).toBe("STATE");
  });
  test("a second time, before the provider is asked", async () => {
    const own = await sessions.arrive(server);
    expect((await sessions.finish(own)).cookie).toBeDefined();
    expect(await outcome(own)).toBe("STATE");
  });
  test("and its reasons are in the log, without what the browser sent", () => {
    const text = JSON.stringify(sessions.lines);
    expect(text).toContain('"msg":"login refused"');
    expect(text).toContain('"request_id":"req_1"');
    const { searchParams } = new URL(`https://x/?${login.query}`);
    for (const secret of [searchParams.get("code"), searchParams.get("state"), login.sealedLogin])
      expect(text).not.toContain(secret);
  });
});

test("refused logins are counted, and recorded with their number alone", async () => {
  await sessions.refusedLogins.write();
  const before = (await actions()).length;
  for (let at = 0; at < 3; at += 1) await sessions.finish({ query: "", sealedLogin: "" });
  const { values } = await sessions.logins.get();
  expect(values.find(({ labels }) => labels.outcome === "state")?.value).toBeGreaterThan(2);
  expect(values.find(({ labels }) => labels.outcome === "started")?.value).toBeGreaterThan(0);
  await sessions.refusedLogins.write();
  await sessions.refusedLogins.write();
  const entries = (await actions()).slice(before);
  expect(entries).toHaveLength(1);
  expect(JSON.parse(entries[0] ?? "")).toMatchObject({
    action: "annals.session.refused",
    metadata: { counts: [{ provider: "okta", fault: "state", count: 3 }], further: 0 },
  });
});

test("of two callbacks with one state at a time, one begins a session", async () => {
  const login = await sessions.arrive(server);
  const results = await Promise.all([sessions.finish(login), sessions.finish(login)]);
  expect(results.filter(({ cookie }) => cookie !== undefined)).toHaveLength(1);
});

test("a state that another replica uses while the provider is asked begins no session", async () => {
  const login = await sessions.arrive(server);
  const state = new URLSearchParams(login.query).get("state") ?? "";
  server.changes.set("/token", async (response) => {
    await database.run(spendToken, [stateSha256(state), STATE_KEPT_MINUTES]);
    return response;
  });
  const before = await count("sessions");
  expect(await sessions.finish(login)).toMatchObject({ fault: LoginFault.STATE });
  expect(await count("sessions")).toBe(before);
  server.changes.clear();
});

test("a blocked person begins no session, and what is stored of the person stays", async () => {
  server.person = { ...PERSON, sub: "u-2" };
  await sessions.finish(await sessions.arrive(server));
  await owner.query("UPDATE keys.people SET blocked_at = '2026' WHERE subject = 'u-2'");
  server.person = { ...PERSON, sub: "u-2", name: "Other" };
  const login = await sessions.arrive(server);
  expect(await sessions.finish(login)).toEqual({ fault: LoginFault.BLOCKED, detail: "" });
  expect(await people()).toContainEqual(
    expect.objectContaining({ subject: "u-2", name: PERSON.name }),
  );
  // The state is used all the same.
  expect(await sessions.finish(login)).toEqual({ fault: LoginFault.STATE, detail: "" });
});

test("an eleventh session of a person ends the oldest", async () => {
  server.person = { ...PERSON, sub: "u-3" };
  const cookies: string[] = [];
  for (let at = 0; at < 11; at += 1)
    cookies.push((await sessions.finish(await sessions.arrive(server))).cookie ?? "");
  const live = await Promise.all(cookies.map((cookie) => sessions.get(cookie)));
  expect(live.map((session) => session !== undefined)).toEqual([
    false,
    ...Array.from({ length: 10 }, () => true),
  ]);
});

test("a provider that hangs leaves room for the logins of others", async () => {
  const { promise: hanging, resolve: endHanging } = Promise.withResolvers<void>();
  const logins = await Promise.all(Array.from({ length: 8 }, () => sessions.arrive(server)));
  server.changes.set("/token", (response) => hanging.then(() => response));
  const asked = server.requests.length;
  const finishing = logins.map((login) => sessions.finish(login));
  await expect.poll(() => server.requests.slice(asked).length).toBe(4);
  other.person = { ...PERSON, sub: "u-4" };
  expect(
    (await sessions.finish(await sessions.arrive(other, "other"), "other")).cookie,
  ).toBeDefined();
  endHanging();
  server.changes.clear();
  const outcomes = await Promise.all(finishing);
  expect(outcomes.filter(({ cookie }) => cookie !== undefined).length).toBeGreaterThanOrEqual(4);
});

test("a provider that is not in the file is not found", async () => {
  await expect(sessions.begin("none")).rejects.toThrow("No identity provider has the id");
  await expect(sessions.finish({ query: "", sealedLogin: "" }, "none")).rejects.toThrow(
    "No identity provider",
  );
});
