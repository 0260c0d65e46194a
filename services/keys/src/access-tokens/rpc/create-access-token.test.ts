// Guarantees: a session is given a token of its role in an account, and of no other account; a person has
// five slots in each, and a sixth token takes the oldest one with its window; a cookie is replaced after an
// hour, and one that was replaced ends its session when it is used again. With a real PostgreSQL.

import { keyHash, systemClock } from "@annals/contract";
import type { Database, Pool } from "@annals/postgres";
import { CreateAccessTokenRequestSchema } from "@annals/proto/keys";
import { ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratedDatabase, storeKey } from "../../testing/database.ts";
import {
  IDENTITIES,
  identitiesOf,
  storeMapping,
  storePerson,
  storeSession,
} from "../../testing/people.ts";
import { waitsFor } from "../../testing/waits.ts";
import { lockPerson } from "../store/lock-person.ts";
import { createAccessToken } from "./create-access-token.ts";

const IDLE_MINUTES = 60;

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
});

async function ask(cookie: string, accountId: string, identities = IDENTITIES) {
  const handle = createAccessToken({
    clock: systemClock(),
    database: service,
    identities,
    prefix: "annals",
    random: randomBytes,
    sessionIdleMinutes: IDLE_MINUTES,
  });
  const request = create(CreateAccessTokenRequestSchema, { cookie, accountId });
  return handle(request, {} as HandlerContext);
}

async function loggedIn(role = "viewer") {
  const { accountId } = await storeKey(service);
  const session = await storeSession(owner, await storePerson(owner));
  await storeMapping(service, accountId, role, { subject: session.subject });
  return { ...session, accountId };
}

interface TokenRow {
  readonly id: string;
  readonly session_id: string;
  readonly secret_sha256: Buffer;
}

const tokensOf = (personId: string) =>
  owner.query<TokenRow>(
    "SELECT id, session_id, secret_sha256 FROM keys.access_tokens WHERE person_id = $1 ORDER BY account_id, id",
    [personId],
  );

const UNAUTHENTICATED = expect.objectContaining({ kind: "unauthenticated" });

/** Lets the cookie of a session have been replaced so many seconds earlier. */
const age = (sessionId: string, seconds: number) =>
  owner.query(
    "UPDATE keys.sessions SET rotated_at = rotated_at - make_interval(secs => $2) WHERE id = $1",
    [sessionId, seconds],
  );

describe("a token", () => {
  test("has the scopes of the role, and only its hash is stored", async () => {
    const { accountId, cookie, personId, sessionId } = await loggedIn("auditor");
    const token = await ask(cookie, accountId);
    expect(token).toMatchObject({
      role: "auditor",
      scopes: ["events:read", "verify", "export"],
      cookie: "",
      secret: expect.stringMatching(/^annals_at_[0-9A-Za-z]{46}$/),
    });
    const inMs = Date.parse(token.expiresAt ?? "") - Date.now();
    expect(Math.abs(inMs - 600_000)).toBeLessThan(60_000);
    const stored = {
      id: `${personId}/1`,
      session_id: sessionId,
      secret_sha256: keyHash(token.secret ?? ""),
    };
    expect(await tokensOf(personId)).toEqual([stored]);
  });

  test("ends with its session", async () => {
    const { accountId, cookie, sessionId } = await loggedIn();
    await owner.query(
      "UPDATE keys.sessions SET expires_at = now() + interval '5 min' WHERE id = $1",
      [sessionId],
    );
    const { expiresAt = "" } = await ask(cookie, accountId);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThan(301_000);
  });

  test("is not given in an account without a role, or that there is none of", async () => {
    const { cookie, personId } = await loggedIn();
    const { accountId } = await loggedIn();
    const refused = expect.objectContaining({
      kind: "scope_missing",
      message: "You have no role in this account.",
    });
    for (const id of [accountId, "acct_none", "", "x'; --", "acct_\u0000"])
      await expect(ask(cookie, id), id).rejects.toEqual(refused);
    expect(await tokensOf(personId)).toEqual([]);
  });

  test("is not given without a live session", async () => {
    const { accountId, cookie, personId, sessionId } = await loggedIn();
    const [first = "", second = ""] = cookie.split(".");
    const others = ["", first, `${second}.${first}`, `${first}.${second}.`, `${cookie}\n`];
    for (const other of others)
      await expect(ask(other, accountId)).rejects.toEqual(UNAUTHENTICATED);
    await expect(ask(cookie, accountId, identitiesOf())).rejects.toEqual(UNAUTHENTICATED);
    await owner.query("UPDATE keys.people SET blocked_at = 'now' WHERE id = $1", [personId]);
    await expect(ask(cookie, accountId)).rejects.toEqual(UNAUTHENTICATED);
    await owner.query("UPDATE keys.people SET blocked_at = NULL WHERE id = $1", [personId]);
    await ask(cookie, accountId);
    await owner.query("DELETE FROM keys.sessions WHERE id = $1", [sessionId]);
    await expect(ask(cookie, accountId)).rejects.toEqual(UNAUTHENTICATED);
    expect(await tokensOf(personId)).toEqual([]);
  });
});

describe("slots", () => {
  test("are five, and the sixth token takes the oldest one", async () => {
    const { accountId, cookie, personId } = await loggedIn();
    const secrets: string[] = [];
    for (let n = 0; n < 7; n += 1) secrets.push((await ask(cookie, accountId)).secret ?? "");
    const [, , third = "", fourth = "", fifth = "", sixth = "", seventh = ""] = secrets;
    const rows = await tokensOf(personId);
    expect(rows.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5].map((n) => `${personId}/${n}`));
    expect(rows.map((row) => row.secret_sha256)).toEqual(
      [sixth, seventh, third, fourth, fifth].map(keyHash),
    );
  });

  test("of several sessions at a time are all different", async () => {
    const { accountId, cookie, ...person } = await loggedIn();
    const other = await storeSession(owner, person);
    await Promise.all(
      [cookie, other.cookie, cookie, other.cookie, cookie].map((of) => ask(of, accountId)),
    );
    expect(await tokensOf(person.personId)).toHaveLength(5);
  });

  test.runIf(ON_ONE_SERVER)("are chosen one after the other", async () => {
    const { accountId, cookie, personId } = await loggedIn();
    const lock = (transaction: Database) => transaction.run(lockPerson, [personId]);
    const around = { owner, database: service, lock };
    expect(await waitsFor(around, () => ask(cookie, accountId))).toBe(true);
  });

  test("of another account are others", async () => {
    const { accountId, cookie, personId, subject } = await loggedIn();
    const other = await storeKey(service);
    await storeMapping(service, other.accountId, "manager", { subject });
    await ask(cookie, accountId);
    expect(await ask(cookie, other.accountId)).toMatchObject({ role: "manager" });
    expect((await tokensOf(personId)).map(({ id }) => id)).toEqual([
      `${personId}/1`,
      `${personId}/1`,
    ]);
  });
});

describe("a session in use", () => {
  test("ends later, and its cookie stays for an hour", async () => {
    const { accountId, cookie, sessionId } = await loggedIn();
    const idle = async () =>
      (
        await owner.query<{ left: number }>(
          "SELECT extract(epoch FROM idle_at - now())::float8 AS left FROM keys.sessions WHERE id = $1",
          [sessionId],
        )
      )[0]?.left ?? 0;
    await owner.query("UPDATE keys.sessions SET idle_at = now() + interval '1 min' WHERE id = $1", [
      sessionId,
    ]);
    await age(sessionId, 3_500);
    expect((await ask(cookie, accountId)).cookie).toBe("");
    expect(await idle()).toBeGreaterThan(IDLE_MINUTES * 60 - 60);
  });

  test("has its cookie replaced after that, of which the second half stays", async () => {
    const { accountId, cookie, sessionId } = await loggedIn();
    await age(sessionId, 3_601);
    const { cookie: next = "" } = await ask(cookie, accountId);
    expect(next).not.toBe(cookie);
    expect(next.split(".")[1]).toBe(cookie.split(".")[1]);
    expect((await ask(next, accountId)).cookie).toBe("");
    // One that was on its way, which is not given another.
    await age(sessionId, 59);
    expect((await ask(cookie, accountId)).cookie).toBe("");
  });

  test("ends when a replaced cookie is used again, with all that it made, and the audit says so", async () => {
    const { accountId, cookie, personId, sessionId } = await loggedIn();
    await age(sessionId, 3_601);
    const { cookie: next = "" } = await ask(cookie, accountId);
    await age(sessionId, 61);
    await expect(ask(cookie, accountId)).rejects.toEqual(UNAUTHENTICATED);
    await expect(ask(next, accountId)).rejects.toEqual(UNAUTHENTICATED);
    expect(await tokensOf(personId)).toEqual([]);
    const [entry] = await owner.query<{ event: string }>(
      "SELECT event FROM keys.audit_outbox WHERE account_id = 'acct_system' ORDER BY number DESC LIMIT 1",
    );
    expect(JSON.parse(entry?.event ?? "")).toMatchObject({
      action: "annals.session.ended",
      actor: { type: "service", id: "keys" },
      target: { type: "session", id: sessionId },
      metadata: { ending: "replaced_cookie", person: personId },
    });
  });
});
