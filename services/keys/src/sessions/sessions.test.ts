// Guarantee: a session is valid until it ends, is idle for too long, its person is blocked or its provider
// leaves the file, and then at once not at all. Input after an hour replaces the cookie: the one before is
// valid for a minute more, and its later use ends the session. A logout ends all that the session made. Real
// PostgreSQL.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migratedDatabase } from "../testing/database.ts";
import type { IdentityProviderServer } from "../testing/identity-provider.ts";
import { identitiesOf, providersOf, PUBLIC_URL, startProvider } from "../testing/log-in.ts";
import { type Sessions, sessionsOf } from "../testing/sessions.ts";

let owner: TestDatabase;
let database: Pool;
let server: IdentityProviderServer;
let sessions: Sessions;
const identities = identitiesOf();
let cookie: string;

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
  server = await startProvider({}, afterAll);
  sessions = sessionsOf({ database, identities, providers: await providersOf(identities) });
});
beforeEach(async () => {
  identities.current = { people: [server.entry()], workloads: [] };
  await owner.query("DELETE FROM keys.people; DELETE FROM keys.audit_outbox");
  ({ cookie = "" } = await sessions.finish(await sessions.arrive(server)));
});

/** Lets a time of all sessions be so long ago. */
const move = (column: string, interval: string) =>
  owner.query(`UPDATE keys.sessions SET ${column} = ${column} - interval '${interval}'`);
const isLive = async (text = cookie): Promise<boolean> => (await sessions.get(text)) !== undefined;
const ended = async (): Promise<number> => (await owner.query("SELECT FROM keys.sessions")).length;

test("a session ends after its lifetime, whatever is put in", async () => {
  expect(await isLive()).toBe(true);
  await move("expires_at", "479 minutes 50 seconds");
  expect(await sessions.use(cookie)).toBeDefined();
  await move("expires_at", "10 seconds");
  expect(await isLive()).toBe(false);
  expect(await sessions.use(cookie)).toBeUndefined();
});

test("a session ends an hour after the last input, which asking for it is not", async () => {
  await move("idle_at", "59 minutes");
  expect(await isLive()).toBe(true);
  await move("idle_at", "1 minute");
  expect(await isLive()).toBe(false);
  expect(await sessions.use(cookie)).toBeUndefined();
});

test("input moves the end", async () => {
  await move("idle_at", "59 minutes");
  expect(await sessions.use(cookie)).toEqual({
    id: expect.stringMatching(/^ses_/),
    cookie: undefined,
  });
  await move("idle_at", "59 minutes");
  expect(await isLive()).toBe(true);
});

test("a blocked person and a provider that left the file have no session", async () => {
  await owner.query("UPDATE keys.people SET blocked_at = '2026'");
  expect([await isLive(), await sessions.use(cookie)]).toEqual([false, undefined]);
  await owner.query("UPDATE keys.people SET blocked_at = NULL");
  expect(await isLive()).toBe(true);
  identities.current = { people: [], workloads: [] };
  expect([await isLive(), await sessions.use(cookie)]).toEqual([false, undefined]);
  identities.current = { people: [server.entry({ issuer: "https://example.com" })], workloads: [] };
  expect([await isLive(), await sessions.use(cookie)]).toEqual([false, undefined]);
  identities.current = { people: [server.entry()], workloads: [] };
  expect(await isLive()).toBe(true);
});

test.each(["", "x", `${"A".repeat(43)}.${"A".repeat(43)}`])(
  "%j is the cookie of no session",
  async (text) => {
    expect(await sessions.get(text)).toBeUndefined();
    expect(await sessions.use(text)).toBeUndefined();
    expect(await sessions.end(text)).toEqual({});
  },
);

describe("a cookie older than an hour", () => {
  const replaced = async (): Promise<string> => {
    await move("rotated_at", "1 hour");
    return (await sessions.use(cookie))?.cookie ?? "";
  };

  test("is replaced by input, and by nothing else", async () => {
    await move("rotated_at", "59 minutes");
    expect((await sessions.use(cookie))?.cookie).toBeUndefined();
    await move("rotated_at", "1 minute");
    expect(await isLive()).toBe(true);
    const next = (await sessions.use(cookie))?.cookie ?? "";
    expect(next).toMatch(/^[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$/);
    expect(next.slice(0, 42)).not.toBe(cookie.slice(0, 42));
    expect((await sessions.get(next))?.personId).toBe((await sessions.get(cookie))?.personId);
  });

  test("is valid for a minute more, in which it is not replaced again", async () => {
    const next = await replaced();
    await move("rotated_at", "30 seconds");
    expect((await sessions.use(cookie))?.cookie).toBeUndefined();
    expect(await isLive(next)).toBe(true);
  });

  test("is replaced once by two requests at a time", async () => {
    await move("rotated_at", "1 hour");
    const results = await Promise.all([sessions.use(cookie), sessions.use(cookie)]);
    expect(results.filter((result) => result?.cookie !== undefined)).toHaveLength(1);
    expect(results.filter((result) => result !== undefined)).toHaveLength(2);
  });

  test.each(["use", "get"] as const)(
    "ends the session if a later request has it (%s)",
    async (how) => {
      const next = await replaced();
      await move("rotated_at", "61 seconds");
      expect(await isLive(next)).toBe(true);
      expect(await sessions[how](cookie)).toBeUndefined();
      expect(await isLive(next)).toBe(false);
      expect(await ended()).toBe(0);
      const entries = await owner.query(
        "SELECT FROM keys.audit_outbox WHERE event LIKE '%replaced_cookie%'",
      );
      expect(entries).toHaveLength(1);
    },
  );
});

describe("a logout", () => {
  test("ends the session, and leads to the page of the provider with the ID token of the login", async () => {
    const { endSessionUrl = "" } = await sessions.end(cookie);
    expect(await isLive()).toBe(false);
    const url = new URL(endSessionUrl);
    expect(url.origin).toBe(server.issuer);
    const hint = url.searchParams.get("id_token_hint") ?? "";
    expect(hint).toBe(server.lastIdToken);
    expect(url.searchParams.get("post_logout_redirect_uri")).toBe(`${PUBLIC_URL}/dashboard/`);
    expect(await sessions.end(cookie)).toEqual({});
  });

  test("ends it while the provider is down, and nothing of the ID token was in the database", async () => {
    const [row] = await owner.query<{ sealed: string }>(
      "SELECT encode(sealed_id_token, 'escape') AS sealed FROM keys.sessions",
    );
    expect(row?.sealed.length).toBeGreaterThan(100);
    for (const part of server.lastIdToken.split(".")) expect(row?.sealed).not.toContain(part);
    identities.current = { people: [server.entry()], workloads: [] };
    server.changes.set("/.well-known/openid-configuration", (response) => ({
      ...response,
      status: 503,
    }));
    expect(await sessions.end(cookie)).toEqual({ endSessionUrl: "" });
    server.changes.clear();
    expect(await isLive()).toBe(false);
  });

  test("takes the access tokens and the widget tokens of the session with it", async () => {
    await owner.query(`
      INSERT INTO keys.accounts (account_id, name, created_at) VALUES ('acct_1', 'a', '2026') ON CONFLICT DO NOTHING;
      INSERT INTO keys.access_tokens (account_id, id, secret_sha256, session_id, person_id, slot, created_at, expires_at)
        SELECT 'acct_1', person_id || '/1', sha256('a'), id, person_id, 1, now(), now() + interval '10 minutes'
        FROM keys.sessions;
      INSERT INTO keys.widget_tokens (account_id, id, token_prefix, secret_sha256, filter, filter_json, parts, origins,
          created_by, session_id, created_at, expires_at)
        SELECT 'acct_1', 'wtok_1', 'a', sha256('b'), '', '{}', '{}', '{}', person_id, id, '2026', '2100'
        FROM keys.sessions`);
    await sessions.end(cookie);
    for (const table of ["access_tokens", "widget_tokens"])
      expect(await owner.query(`SELECT FROM keys.${table}`)).toEqual([]);
  });
});
