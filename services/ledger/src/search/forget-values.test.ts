// Guarantee: once an erasure is done, no row of its account's saved searches, of what their creation has kept
// or of their audit has the erased id. What does not name it stays as it is, and so does what is saved later.

import { create } from "@bufbuild/protobuf";
import { EventFilterSchema } from "@annals/proto/ledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openErasures } from "../testing/erasure-fixtures.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../testing/lifecycle-fixtures.ts";
import { openLedger, type TestLedger } from "../testing/test-ledger.ts";

let world: LifecycleFixtures;
let ledger: TestLedger;
let erasures: ReturnType<typeof openErasures>;
beforeAll(async () => {
  world = await openLifecycleFixtures();
  erasures = openErasures(world);
  const none = [undefined, undefined, undefined, undefined, undefined] as const;
  ledger = openLedger(world.owner, ...none, afterAll);
});

interface Given {
  readonly name?: string;
  readonly filter?: object;
  readonly view?: object;
}

let keys = 0;
async function save(accountId: string, { filter = {}, name = "a", view = {} }: Given) {
  const texts = { name, filterJson: JSON.stringify(filter), viewJson: JSON.stringify(view) };
  keys += 1;
  const once = { idempotencyKey: `${keys}`, requestSha256: new Uint8Array(32) };
  const request = { accountId, ...texts, filter: create(EventFilterSchema), ...once };
  const { search } = await ledger.client.createSavedSearch(request);
  return search?.id ?? expect.unreachable();
}

async function left(accountId: string, id: string) {
  const { searches } = await ledger.client.listSavedSearches({ accountId });
  const found = searches.find((each) => each.id === id) ?? expect.unreachable();
  const { filterJson, hasErased, name, viewJson } = found;
  return { name, filter: JSON.parse(filterJson), view: JSON.parse(viewJson), hasErased };
}

/** Every row of the tables that may have a value of a search. */
async function rows(accountId: string): Promise<string> {
  const texts = await Promise.all(
    ["searches", "idempotent_requests", "audit_outbox"].map((table) =>
      world.owner.query<{ text: string }>(
        `SELECT row_to_json(one)::text AS text FROM ledger.${table} AS one WHERE account_id = $1`,
        [accountId],
      ),
    ),
  );
  const responses = await world.owner.query<{ text: string }>(
    `SELECT encode(response, 'escape') AS text FROM ledger.idempotent_requests WHERE account_id = $1`,
    [accountId],
  );
  return [...texts.flat(), ...responses].map(({ text }) => text).join("\n");
}

test.each<[Given, Given]>([
  [{ filter: { actor_id: "u_1" } }, { filter: {} }],
  [{ filter: { actor_id: ["u_2", "u_1"] } }, { filter: { actor_id: ["u_2"] } }],
  [{ filter: { action: "a", not: { actor_id: "u_1" } } }, { filter: { action: "a" } }],
  [
    { filter: { fields: { by: ["u_1", "u_1*", "u_2"], n: "1" }, not: { fields: { by: "u_1" } } } },
    { filter: { fields: { by: ["u_2"], n: "1" } } },
  ],
  [{ filter: { text: "of U_1," } }, { filter: {} }],
  [
    { name: "What u_1 did", filter: { action: "a" } },
    { name: "(erased)", filter: { action: "a" } },
  ],
  [{ view: { columns: ["action", "u_1"], by: "action" } }, { view: {} }],
])("of %j is left %j", async (given, expected) => {
  const accountId = await world.newChain();
  const id = await save(accountId, given);
  expect((await rows(accountId)).toLowerCase()).toContain("u_1");
  await erasures.ask(accountId, { actorId: "u_1" });
  await erasures.newReplica().pass();
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed" });
  expect(await left(accountId, id)).toEqual({
    name: "a",
    view: {},
    filter: {},
    ...expected,
    hasErased: true,
  });
  expect((await rows(accountId)).toLowerCase()).not.toContain("u_1");
  const audit = await world.owner.query<{ event: string }>(
    "SELECT event FROM ledger.audit_outbox WHERE account_id = $1 ORDER BY number",
    [accountId],
  );
  expect(audit.map(({ event }) => JSON.parse(event))).toMatchObject([
    { action: "annals.saved_search.created" },
    { action: "annals.saved_search.updated", actor: { type: "service", id: "ledger" } },
  ]);
  const later = await save(accountId, given);
  await erasures.newReplica().pass();
  expect(await left(accountId, later)).toMatchObject({ ...given, hasErased: false });
});

test.each<[Given, string]>([
  [{ filter: { actor_id: "u_11", action: "u_1" } }, "other values"],
  [{ filter: { target_id: "u_1" } }, "of a target"],
  [{ filter: { text: "u_11 or xu_1" }, name: "u_12" }, "other words"],
  [{ filter: { text: "abc", not: { fields: { n: "1" }, action: "b" }, action: "a" } }, "nothing"],
])("%j names %s, and stays", async (given) => {
  const accountId = await world.newChain();
  const id = await save(accountId, given);
  await erasures.ask(accountId, { actorId: "u_1" });
  await erasures.newReplica().pass();
  expect(await left(accountId, id)).toMatchObject({ ...given, hasErased: false });
});

test("an erasure of other parts than the actor takes no id of it", async () => {
  const accountId = await world.newChain();
  const given = { filter: { actor_id: "u_1" } };
  const id = await save(accountId, given);
  await erasures.ask(accountId, { actorId: "u_1" }, { parts: ["metadata"] });
  await erasures.newReplica().pass();
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed" });
  expect(await left(accountId, id)).toMatchObject({ ...given, hasErased: false });
});
