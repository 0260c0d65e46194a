// Guarantees: a person's request is admitted with the role that the mappings give now, and with none once its
// token, session, person, provider or mapping has ended: each ends with the next statement. Each slot has a
// window of its own, and the account's window counts them all. With a real PostgreSQL.

import { systemClock } from "@annals/contract";
import { type Pool, statement } from "@annals/postgres";
import { explain, ON_ONE_SERVER, prepare, type TestDatabase } from "@annals/testing";
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryParams } from "../../identity/accepted-entries.ts";
import { migratedDatabase, storeKey } from "../../testing/database.ts";
import {
  IDENTITIES,
  identitiesOf,
  OKTA,
  storeAccessToken,
  storeMapping,
  storePerson,
  storeSession,
} from "../../testing/people.ts";
import { admitAccessRequests } from "./admit-access-requests.ts";

/** Calls that ran by the generic plan, on this connection. */
const plansOf = statement<[text: string], { readonly generic: number }>(
  `/* tests.plans-of */
SELECT generic_plans::integer AS generic FROM pg_prepared_statements WHERE statement LIKE $1::text
`,
  { route: "local" },
);

const LIMIT = 10;
const AMPLE = 1_000_000;
/** People at first and later, and how many of them ask in one statement. */
const [FEW, MANY, TOKENS] = [20, 3_000, 10];

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
});

type Params = Parameters<NonNullable<typeof admitAccessRequests.types>>[0];

const paramsOf = (
  secrets: readonly Uint8Array[],
  counts: readonly number[],
  { accountLimit = AMPLE, identities = IDENTITIES } = {},
): Params => [
  ...([secrets, counts, LIMIT, [], [], accountLimit] as const),
  ...entryParams(identities.current.people),
];

const admitAll = (...given: Parameters<typeof paramsOf>) =>
  service.run(admitAccessRequests, paramsOf(...given));

const admit = async (secret: Uint8Array, identities?: typeof IDENTITIES) =>
  (await admitAll([secret], [1], identities && { identities }))[0];

/** A person of the groups with a session and a token in a new account. */
async function loggedIn({ groups = ["readers"], ...options } = {}) {
  const { accountId } = await storeKey(service);
  const person = await storePerson(owner, { groups, ...options });
  const session = await storeSession(owner, person);
  const secret = await storeAccessToken(owner, accountId, session);
  const map = (role: string, holder: Parameters<typeof storeMapping>[3]) =>
    storeMapping(service, accountId, role, holder);
  return { ...session, accountId, map, secret };
}

describe("the role", () => {
  test("is that of a mapping of one of the groups, and the row says whose the request is", async () => {
    const { accountId, map, personId, secret, sessionId } = await loggedIn();
    expect(await admit(secret)).toBeUndefined();
    await map("viewer", { group: "readers" });
    expect(await admit(secret)).toMatchObject({
      account_id: accountId,
      key_id: personId,
      session_id: sessionId,
      role: "viewer",
      plan: null,
      granted: 1,
      used: 1,
      account_used: 1,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
  });

  test("is the highest of several, of groups and of the subject", async () => {
    const { map, secret, subject } = await loggedIn({ groups: ["readers", "admins"] });
    await map("auditor", { group: "admins" });
    await map("viewer", { group: "readers" });
    expect((await admit(secret))?.role).toBe("auditor");
    await map("manager", { subject });
    expect((await admit(secret))?.role).toBe("manager");
  });

  test("is none if one mapping says so, whatever others give", async () => {
    const { map, secret, subject } = await loggedIn();
    await map("manager", { subject });
    await map("none", { group: "readers" });
    expect(await admit(secret)).toBeUndefined();
  });

  test.each([
    ["another group", { group: "reader" }],
    ["a group that is written otherwise", { group: "Readers" }],
    ["a subject that is the name of the group", { subject: "readers" }],
    ["the group at another provider", { group: "readers", provider: "entra" }],
  ])("is none by a mapping of %s", async (_, holder) => {
    const { map, secret } = await loggedIn();
    await map("manager", holder);
    const entra = { ...OKTA, name: "entra", issuer: "https://entra.example" };
    expect(await admit(secret, identitiesOf(OKTA, entra))).toBeUndefined();
  });

  test("is none by a mapping of another account", async () => {
    const [one, other] = [await loggedIn(), await loggedIn()];
    await other.map("manager", { subject: one.subject });
    expect(await admit(one.secret)).toBeUndefined();
  });
});

describe("with the next statement ends", () => {
  const mapped = async () => {
    const person = await loggedIn();
    const mappingId = await person.map("viewer", { group: "readers" });
    expect(await admit(person.secret)).toMatchObject({ granted: 1 });
    return { ...person, mappingId };
  };

  type Ending = readonly [what: string, sql: string, of: "mappingId" | "personId" | "sessionId"];
  const PAST = "now() - interval '1 second'";
  const SESSION = "UPDATE keys.sessions SET";
  const TOKEN = "UPDATE keys.access_tokens SET";
  const ENDINGS: readonly Ending[] = [
    ["a mapping that is deleted", "DELETE FROM keys.role_mappings WHERE id = $1", "mappingId"],
    ["a session that is deleted", "DELETE FROM keys.sessions WHERE id = $1", "sessionId"],
    ["a session that is over", `${SESSION} expires_at = ${PAST} WHERE id = $1`, "sessionId"],
    ["a session without input", `${SESSION} idle_at = ${PAST} WHERE id = $1`, "sessionId"],
    ["a token that is over", `${TOKEN} expires_at = ${PAST} WHERE session_id = $1`, "sessionId"],
    ["a blocked person", "UPDATE keys.people SET blocked_at = 'now' WHERE id = $1", "personId"],
    ["a deleted person", "DELETE FROM keys.people WHERE id = $1", "personId"],
    ["a group that is left", "UPDATE keys.people SET groups = '{}' WHERE id = $1", "personId"],
  ];

  test.each(ENDINGS)("%s", async (_, sql, of) => {
    const person = await mapped();
    await owner.query(sql, [person[of]]);
    expect(await admit(person.secret)).toBeUndefined();
  });

  test.each([
    ["a provider that leaves the file", identitiesOf()],
    ["one of another name", identitiesOf({ ...OKTA, name: "okta-2" })],
    ["one of another issuer", identitiesOf({ ...OKTA, issuer: "https://other.example" })],
    ["one of other accounts", identitiesOf({ ...OKTA, accounts: ["acct_other"] })],
    ["one of no account", identitiesOf({ ...OKTA, accounts: [] })],
  ])("%s", async (_, identities) => {
    expect(await admit((await mapped()).secret, identities)).toBeUndefined();
  });

  test("nothing else: a provider of this account admits", async () => {
    const { accountId, secret } = await mapped();
    const identities = identitiesOf({ ...OKTA, accounts: ["acct_other", accountId] });
    expect(await admit(secret, identities)).toMatchObject({ granted: 1 });
  });

  test("a session of the operator's console has no token here", async () => {
    const { accountId, map, personId, subject } = await loggedIn();
    await map("manager", { subject });
    const session = await storeSession(owner, { personId, subject }, { realm: "operator" });
    const secret = await storeAccessToken(owner, accountId, session, 2);
    expect(await admit(secret)).toBeUndefined();
  });
});

describe("windows", () => {
  test("each slot has one, in one statement, and the account counts them all", async () => {
    const { accountId, map, personId, sessionId, subject } = await loggedIn();
    await map("viewer", { subject });
    const session = { personId, sessionId, subject, cookie: "" };
    const second = await storeAccessToken(owner, accountId, session, 2);
    const third = await storeAccessToken(owner, accountId, session, 3);
    const rows = await admitAll([second, third], [LIMIT + 2, 3], { accountLimit: LIMIT + 2 });
    expect(rows.map(({ granted }) => granted)).toEqual([LIMIT, 2]);
    expect(rows.map(({ is_of_account: isOfAccount }) => isOfAccount)).toEqual([false, true]);
    const windows = await owner.query<{ key_id: string; used: number }>(
      "SELECT key_id, used FROM keys.rate_windows WHERE account_id = $1 ORDER BY key_id",
      [accountId],
    );
    expect(windows).toEqual([
      { key_id: `${personId}/2`, used: LIMIT },
      { key_id: `${personId}/3`, used: 2 },
    ]);
  });

  test("a count of 0 admits and counts nothing", async () => {
    const { map, secret, subject } = await loggedIn();
    await map("viewer", { subject });
    expect(await admitAll([secret], [0])).toMatchObject([{ granted: 0, used: 0 }]);
  });
});

test.runIf(ON_ONE_SERVER)("it keeps to the generic plan", async () => {
  const { map, secret, subject } = await loggedIn();
  await map("viewer", { subject });
  const plans = await service.transaction(async (transaction) => {
    for (let n = 0; n < 8; n += 1)
      await transaction.run(admitAccessRequests, paramsOf([secret], [1]));
    return transaction.run(plansOf, ["%keys.admit-access-requests%"]);
  });
  // PostgreSQL plans each of the first five calls.
  expect(plans.map(({ generic }) => generic >= 3)).toEqual([true]);
});

describe.each(["generic", "custom"] as const)("with %s plans", (plans) => {
  test("it reads the groups of a person once, however many mappings there are", async () => {
    const groups = Array.from({ length: 1_000 }, () => randomBytes(30).toString("base64"));
    const { accountId, map, secret } = await loggedIn({ groups });
    await owner.query(
      `INSERT INTO keys.role_mappings (account_id, id, provider, group_name, role, created_at)
       SELECT $1, 'rmap_' || n, 'okta', 'g' || n, 'manager', 't' FROM generate_series(1, 199) AS n`,
      [accountId],
    );
    await map("viewer", { group: groups[999] ?? "" });
    const params = paramsOf([secret], [1]);
    const { blocks, rows } = await explain(owner, admitAccessRequests, params, plans);
    expect(rows).toBe(1);
    expect(blocks).toBeLessThan(400);
  });

  // A connection keeps its generic plan until the next ANALYZE, however much the tables grow meanwhile.
  test("it looks up each token, also by a plan that was made when the tables were small", async () => {
    const { owner: own, service: ofOwn } = await migratedDatabase();
    const { accountId } = await storeKey(ofOwn);
    await storeMapping(ofOwn, accountId, "viewer", { group: "readers" });
    await storeReaders(own, accountId, 1, FEW);
    await using prepared = await prepare(own, admitAccessRequests, plans);
    const few = await prepared.explain(asked(1, 1));
    await storeReaders(own, accountId, FEW + 1, MANY);
    const many = await prepared.explain(asked(FEW + 1, FEW + TOKENS));
    expect([few.rows, many.rows]).toEqual([1, TOKENS]);
    // A level more of each index.
    expect(many.blocks).toBeLessThan(TOKENS * (few.blocks + 10));
  });

  /** The statement for the tokens of some of the people below. */
  function asked(first: number, last: number): Params {
    const ids = Array.from({ length: last - first + 1 }, (_, n) => `usr_${first + n}`);
    const secrets = ids.map((id) => createHash("sha256").update(id).digest());
    return paramsOf(
      secrets,
      ids.map(() => 1),
    );
  }

  /** People of the group with a session and a token each, whose secret is the id. */
  const storeReaders = (of: TestDatabase, accountId: string, first: number, last: number) =>
    of.query(
      `WITH people AS (
         INSERT INTO keys.people (id, issuer, subject, provider, groups, created_at, last_login_at)
         SELECT 'usr_' || n, $1, n, 'okta', '{readers}', $2, $2 FROM generate_series($4::integer, $5::integer) AS n
         RETURNING id
       ), sessions AS (
         INSERT INTO keys.sessions (id, person_id, realm, secret_sha256, rotated_at, created_at, idle_at, expires_at)
         SELECT 'ses_' || id, id, 'dashboard', sha256(id::bytea), now(), now(), now() + interval '1 day', now() + interval '1 day'
         FROM people RETURNING id, person_id
       )
       INSERT INTO keys.access_tokens (account_id, id, secret_sha256, session_id, person_id, slot, created_at, expires_at)
       SELECT $3, person_id || '/1', sha256(person_id::bytea), id, person_id, 1, now(), now() + interval '1 day'
       FROM sessions`,
      [OKTA.issuer, systemClock().nowText(), accountId, first, last],
    );
});
