// Guarantee: a logout token of a real provider ends the sessions that it names, at once and once. No token
// that is forged, of somebody else or used before ends any. Real provider, real PostgreSQL.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratedDatabase } from "../../testing/database.ts";
import {
  CLIENT,
  encoded,
  type IdentityProviderServer,
  newSigningKey,
  publicJwk,
} from "../../testing/identity-provider.ts";
import { identitiesOf, providersOf, startProvider } from "../../testing/log-in.ts";
import { type Sessions, sessionsOf } from "../../testing/sessions.ts";

let owner: TestDatabase;
let database: Pool;
let server: IdentityProviderServer;
let sessions: Sessions;
/** Tokens that the provider has posted. */
const posted: string[] = [];

beforeAll(async () => {
  ({ owner, service: database } = await migratedDatabase(afterAll));
  const receiver = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const piece of request) body += String(piece);
      posted.push(new URLSearchParams(body).get("logout_token") ?? "");
      response.end();
    })();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise((resolve) => receiver.close(resolve)));
  const backchannelUri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  server = await startProvider({ backchannelUri }, afterAll);
  sessions = await newSessions();
});

/** The RPCs of a process that knows no keys yet. */
async function newSessions(): Promise<Sessions> {
  const identities = identitiesOf(server.entry());
  return sessionsOf({ database, identities, providers: await providersOf(identities) });
}

async function loggedIn(sub: string): Promise<string> {
  server.person = { ...server.person, sub };
  const { cookie = "" } = await sessions.finish(await sessions.arrive(server));
  return cookie;
}
const isLive = async (cookie: string): Promise<boolean> =>
  (await sessions.get(cookie)) !== undefined;
const sidOf = async (sub: string): Promise<string> => {
  const [row] = await owner.query<{ provider_sid: string }>(
    `SELECT provider_sid FROM keys.sessions JOIN keys.people ON people.id = person_id
     WHERE subject = $1 ORDER BY sessions.created_at DESC LIMIT 1`,
    [sub],
  );
  return row?.provider_sid ?? "";
};

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const now = (): number => Math.floor(Date.now() / 1_000);
let number = 0;
const claims = (change: object = {}): object => ({
  iss: server.issuer,
  aud: CLIENT.id,
  iat: now(),
  exp: now() + 120,
  jti: `jti-${(number += 1)}`,
  events: { [EVENT]: {} },
  ...change,
});

test("the token that a real provider posts at a logout there ends its session, and no other", async () => {
  const cookie = await loggedIn("u-1");
  const other = await loggedIn("u-2");
  await server.logOut("u-1", await sidOf("u-1"));
  expect(posted).toHaveLength(1);
  await sessions.endOfProvider(posted[0] ?? "");
  expect([await isLive(cookie), await isLive(other)]).toEqual([false, true]);
  await expect(sessions.endOfProvider(posted[0] ?? "")).rejects.toThrow("was used before");
});

test("a token with a subject ends all sessions of the person, and one with both that session", async () => {
  const cookies = [await loggedIn("u-3"), await loggedIn("u-3"), await loggedIn("u-3")];
  const live = () => Promise.all(cookies.map(isLive));
  await sessions.endOfProvider(server.jwt(claims({ sub: "u-3", sid: await sidOf("u-3") })));
  expect(await live()).toEqual([true, true, false]);
  await sessions.endOfProvider(server.jwt(claims({ sub: "u-3", exp: undefined })));
  expect(await live()).toEqual([false, false, false]);
  expect(
    await owner.query(
      "SELECT event FROM keys.audit_outbox WHERE event LIKE '%logout_of_provider%'",
    ),
  ).toHaveLength(4);
});

describe("refused, and ends nothing", () => {
  let cookie: string;
  const stranger = newSigningKey("second");

  beforeAll(async () => {
    cookie = await loggedIn("u-4");
  });
  const token = (change: object = {}) => server.jwt(claims({ sub: "u-4", ...change }));
  const unsigned = (alg: string) =>
    [{ alg, kid: server.key.kid }, claims({ sub: "u-4" })]
      .map((part) => encoded(JSON.stringify(part)))
      .join(".");

  test.each<[string, () => string | Promise<string>]>([
    ["no JWT", () => "token"],
    ["alg none", () => `${unsigned("none")}.`],
    ["no signature", () => `${unsigned("RS256")}.`],
    [
      "HS256 with the secret of the client",
      () =>
        `${unsigned("HS256")}.${createHmac("sha256", CLIENT.secret).update(unsigned("HS256")).digest("base64url")}`,
    ],
    [
      "a stranger's signature",
      () => server.jwt(claims({ sub: "u-4" }), { key: { ...stranger, kid: server.key.kid } }),
    ],
    [
      "a stranger's key in the header",
      () =>
        server.jwt(claims({ sub: "u-4" }), { key: stranger, header: { jwk: publicJwk(stranger) } }),
    ],
    ["another issuer", () => token({ iss: "https://example.com" })],
    ["another audience", () => token({ aud: "other" })],
    ["issued six minutes ago", () => token({ iat: now() - 360 })],
    ["issued in two minutes", () => token({ iat: now() + 120 })],
    ["without a time", () => token({ iat: undefined })],
    ["expired", () => token({ exp: now() - 60 })],
    ["with a nonce", () => token({ nonce: "n" })],
    ["without events", () => token({ events: undefined })],
    ["without a jti", () => token({ jti: undefined })],
    ["of nobody", () => token({ sub: undefined })],
    ["an ID token of a login", () => server.lastIdToken],
  ])("%s", async (_, make) => {
    await expect(sessions.endOfProvider(await make())).rejects.toMatchObject({ kind: "invalid" });
    expect(await isLive(cookie)).toBe(true);
  });

  test("control: the token that these differ from ends it", async () => {
    await sessions.endOfProvider(token());
    expect(await isLive(cookie)).toBe(false);
  });
});

test("new keys of the provider verify its next token", async () => {
  const cookie = await loggedIn("u-5");
  await sessions.endOfProvider(server.jwt(claims({ sub: "u-9" })));
  server.changes.set("/jwks", (response) => ({ ...response, status: 503 }));
  const later = await newSessions();
  await expect(later.endOfProvider(server.jwt(claims({ sub: "u-5" })))).rejects.toMatchObject({
    kind: "unavailable",
  });
  server.changes.clear();
  await later.endOfProvider(server.jwt(claims({ sub: "u-5" })));
  expect(await isLive(cookie)).toBe(false);
});

test("a token for a provider that is not in the file is not found", async () => {
  await expect(sessions.endOfProvider("a.b.c", "none")).rejects.toMatchObject({
    kind: "not_found",
  });
});
