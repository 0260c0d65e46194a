// Guarantee: a widget token that a person made is admitted while their session lasts and they have a role in
// the account, and is refused with the next request after that. One of an API key needs no session. With a
// real PostgreSQL.

import type { Pool } from "@annals/postgres";
import { explain, type TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryParams } from "../../identity/accepted-entries.ts";
import { operatorParams } from "../../identity/operator-params.ts";
import { migratedDatabase, storeKey, storeWidgetToken } from "../../testing/database.ts";
import {
  IDENTITIES,
  identitiesOf,
  storeMapping,
  storePerson,
  storeSession,
} from "../../testing/people.ts";
import { admitWidgetRequests } from "./admit-widget-requests.ts";

const AMPLE = 1_000_000;

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
});

type Params = Parameters<NonNullable<typeof admitWidgetRequests.types>>[0];

const paramsOf = (secret: Uint8Array, identities = IDENTITIES): Params => [
  ...([[secret], [1], AMPLE, [], [], AMPLE] as const),
  ...entryParams(identities.current.people),
  ...entryParams(identities.current.workloads),
  ...operatorParams(identities),
];

const admit = async (secret: Uint8Array, identities = IDENTITIES) =>
  (await service.run(admitWidgetRequests, paramsOf(secret, identities)))[0];

/** A viewer with a widget token. */
async function viewing() {
  const key = await storeKey(service);
  const { accountId } = key;
  const session = await storeSession(owner, await storePerson(owner, { groups: ["readers"] }));
  const { personId, sessionId } = session;
  const mappingId = await storeMapping(service, accountId, "viewer", { group: "readers" });
  const maker = { ...key, keyId: personId };
  const token = await storeWidgetToken(service, maker, { sessionId });
  return { ...session, accountId, key, mappingId, token };
}

test("is admitted, until the end of the session at the latest", async () => {
  const { accountId, sessionId, token } = await viewing();
  const row = await admit(token.secretSha256);
  expect(row).toMatchObject({ account_id: accountId, key_id: token.id, granted: 1 });
  await owner.query(
    "UPDATE keys.sessions SET idle_at = '2099-01-31T09:30:00.5Z', expires_at = '2099-02-01T00:00Z' WHERE id = $1",
    [sessionId],
  );
  await owner.query(
    "UPDATE keys.widget_tokens SET expires_at = '2099-06-01T00:00:00.000000Z' WHERE id = $1",
    [token.id],
  );
  expect((await admit(token.secretSha256))?.expires_at).toBe("2099-01-31T09:30:00.500000Z");
});

test("one of an API key is admitted without a session, and whatever the file says", async () => {
  const { key } = await viewing();
  const { secretSha256 } = await storeWidgetToken(service, key);
  expect(await admit(secretSha256, identitiesOf())).toMatchObject({ granted: 1 });
});

describe("is refused with the next request", () => {
  test.each([
    ["after the logout", "DELETE FROM keys.sessions WHERE id = $1", "sessionId"],
    [
      "of a session without input",
      "UPDATE keys.sessions SET idle_at = now() - interval '1 s' WHERE id = $1",
      "sessionId",
    ],
    ["of a blocked person", "UPDATE keys.people SET blocked_at = 'now' WHERE id = $1", "personId"],
    ["without the mapping", "DELETE FROM keys.role_mappings WHERE id = $1", "mappingId"],
    [
      "with a mapping of none",
      `INSERT INTO keys.role_mappings (account_id, id, provider, subject, role, created_at)
       SELECT m.account_id, 'rmap_' || p.id, 'okta', p.subject, 'none', 't'
       FROM keys.people p, keys.role_mappings m WHERE p.id = $1`,
      "personId",
    ],
  ] as const)("%s", async (_, sql, of) => {
    const viewer = await viewing();
    expect(await admit(viewer.token.secretSha256)).toMatchObject({ granted: 1 });
    await owner.query(sql, [viewer[of]]);
    expect(await admit(viewer.token.secretSha256)).toBeUndefined();
  });

  test("of a provider that has left the file", async () => {
    const { token } = await viewing();
    expect(await admit(token.secretSha256, identitiesOf())).toBeUndefined();
  });
});

test("is gone with its session", async () => {
  const { sessionId, token } = await viewing();
  await owner.query("DELETE FROM keys.sessions WHERE id = $1", [sessionId]);
  const rows = await owner.query("SELECT id FROM keys.widget_tokens WHERE id = $1", [token.id]);
  expect(rows).toEqual([]);
});

describe.each(["generic", "custom"] as const)("with %s plans", (plans) => {
  test("a token of an API key reads nothing of people", async () => {
    const { key } = await viewing();
    const { secretSha256 } = await storeWidgetToken(service, key);
    const { nodes } = await explain(owner, admitWidgetRequests, paramsOf(secretSha256), plans);
    const read = nodes.filter((node) =>
      /^(people|sessions|role_mappings)$/.test(node["Relation Name"] ?? ""),
    );
    const blocks = read.map((node) => node["Shared Hit Blocks"] + node["Shared Read Blocks"]);
    expect(Math.max(0, ...blocks)).toBe(0);
  });
});
