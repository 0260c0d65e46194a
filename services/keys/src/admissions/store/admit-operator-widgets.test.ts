// Guarantee: a widget token that an operator has made at the console is admitted in the system account alone,
// while the session lasts and the identity file names the person, and is refused with the next request after
// that. With a real PostgreSQL.

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entryParams } from "../../identity/accepted-entries.ts";
import { operatorParams } from "../../identity/operator-params.ts";
import { migratedDatabase, storeKey, storeWidgetToken } from "../../testing/database.ts";
import { identitiesOf, OKTA, storePerson, storeSession } from "../../testing/people.ts";
import { admitWidgetRequests } from "./admit-widget-requests.ts";

const AMPLE = 1_000_000;
const NAMED = identitiesOf({ ...OKTA, operators: { groups: ["operators"], subjects: [] } });

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
});

async function admit(secret: Uint8Array, identities = NAMED) {
  const [row] = await service.run(admitWidgetRequests, [
    ...([[secret], [1], AMPLE, [], [], AMPLE] as const),
    ...entryParams(identities.current.people),
    ...entryParams(identities.current.workloads),
    ...operatorParams(identities),
  ]);
  return row;
}

/** A token of an operator's session in the account. */
async function reading({
  accountId = SYSTEM_ACCOUNT_ID,
  realm = "operator",
}: { readonly accountId?: string; readonly realm?: string } = {}) {
  const session = await storeSession(owner, await storePerson(owner, { groups: ["operators"] }), {
    realm,
  });
  const { personId, sessionId } = session;
  const maker = { ...(await storeKey(service)), accountId, keyId: personId };
  return { ...session, token: await storeWidgetToken(service, maker, { sessionId }) };
}

test("is admitted in the system account, and in no other", async () => {
  const { token } = await reading();
  expect(await admit(token.secretSha256)).toMatchObject({ key_id: token.id, granted: 1 });
  const { accountId } = await storeKey(service);
  const other = await reading({ accountId });
  expect(await admit(other.token.secretSha256)).toBeUndefined();
});

test("a session of the dashboard gives an operator nothing there", async () => {
  const { token } = await reading({ realm: "dashboard" });
  expect(await admit(token.secretSha256)).toBeUndefined();
});

test.each([
  ["nobody", { groups: [], subjects: [] }],
  ["another group", { groups: ["others"], subjects: [] }],
  ["another subject", { groups: [], subjects: ["operators"] }],
])("is refused once the file names %s", async (_, operators) => {
  const { token } = await reading();
  expect(await admit(token.secretSha256)).toMatchObject({ granted: 1 });
  expect(await admit(token.secretSha256, identitiesOf({ ...OKTA, operators }))).toBeUndefined();
});

test("is admitted for a subject, of the person's own provider and issuer", async () => {
  const { subject, token } = await reading();
  const operators = { groups: [], subjects: [subject] };
  const of = (more: object) =>
    admit(token.secretSha256, identitiesOf({ ...OKTA, operators, ...more }));
  expect(await of({})).toMatchObject({ granted: 1 });
  expect(await of({ name: "other" })).toBeUndefined();
  expect(await of({ issuer: "https://other.example" })).toBeUndefined();
});

test.each([
  ["is blocked", "UPDATE keys.people SET blocked_at = 'now' WHERE id = $1", "personId"],
  ["has logged out", "DELETE FROM keys.sessions WHERE id = $1", "sessionId"],
  [
    "has been away",
    "UPDATE keys.sessions SET idle_at = now() - interval '1 s' WHERE id = $1",
    "sessionId",
  ],
] as const)("is refused once the operator %s", async (_, sql, of) => {
  const operator = await reading();
  expect(await admit(operator.token.secretSha256)).toMatchObject({ granted: 1 });
  await owner.query(sql, [operator[of]]);
  expect(await admit(operator.token.secretSha256)).toBeUndefined();
});
