// Guarantee: an erasure is completed once each service with copies has confirmed it, webhooks after exports,
// and not before. Until then it keeps what it selects by, for them alone. A confirmation out of its turn, or
// again, changes nothing.

import { ErasureCopy } from "@annals/proto/ledger";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listOpenForWebhooks } from "../store/erasure-copies.ts";
import { openErasures } from "../../testing/erasure-fixtures.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../../testing/lifecycle-fixtures.ts";
import { openLedger, type TestLedger } from "../../testing/test-ledger.ts";

const { EXPORTS, UNSPECIFIED, WEBHOOKS } = ErasureCopy;
const BOTH = { exports: true, webhooks: true };

let world: LifecycleFixtures;
let erasures: ReturnType<typeof openErasures>;
let ledger: TestLedger;
let accountId: string;
let id: string;

beforeAll(async () => {
  world = await openLifecycleFixtures();
  erasures = openErasures(world);
});

beforeEach(async () => {
  ledger = openLedger(world.owner);
  accountId = await world.newChain();
  id = await erasures.ask(accountId, { actorId: "u_1" });
});

const pass = (copies = BOTH) => erasures.newReplica(() => {}, copies).pass();
const confirm = (copy: ErasureCopy, of = id) =>
  ledger.client.confirmErasure({ accountId, copy, id: of });

async function open(copy: ErasureCopy) {
  const { erasures: found } = await ledger.client.listOpenErasures({ copy, limit: 1_000 });
  return found.filter((one) => one.accountId === accountId);
}

const shown = async () => (await ledger.client.getErasure({ accountId, id })).erasure;

test("webhooks follow exports, and both are waited for", async () => {
  expect(await open(EXPORTS)).toEqual([]);
  await pass();
  expect(await erasures.request(accountId)).toMatchObject({ status: "running", erased: "2" });
  expect(await open(EXPORTS)).toMatchObject([{ id, actorId: "u_1", lastRecord: 7n }]);
  expect(await open(WEBHOOKS)).toEqual([]);
  await confirm(EXPORTS);
  expect(await open(EXPORTS)).toEqual([]);
  expect(await open(WEBHOOKS)).toMatchObject([{ id, actorId: "u_1", lastRecord: 7n }]);
  await pass();
  const waiting = await shown();
  expect(waiting).toMatchObject({ actorId: "u_1", exportsClearedAt: expect.any(String) });
  expect(waiting?.webhooksClearedAt).toBeUndefined();
  await confirm(WEBHOOKS);
  await confirm(EXPORTS);
  await pass();
  expect(await open(WEBHOOKS)).toEqual([]);
  expect(await shown()).toMatchObject({
    endedAt: expect.any(String),
    exportsClearedAt: waiting?.exportsClearedAt,
    webhooksClearedAt: expect.any(String),
  });
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed", selector: null });
});

test.each([
  [{ exports: false, webhooks: true }, WEBHOOKS],
  [{ exports: true, webhooks: false }, EXPORTS],
])("only what runs is waited for: %j", async (copies, copy) => {
  await pass(copies);
  const rows = await world.pool.run(listOpenForWebhooks, ["", "", 1_000, copies.exports]);
  expect(rows.some((row) => row.id === id)).toBe(copies.webhooks);
  await confirm(copy);
  await pass(copies);
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed" });
});

test("a replica that finds it before another one erases its events does not complete it", async () => {
  const slow = erasures.newReplica(async (statement, account) => {
    if (statement === "ledger.claim-erasure" && account === accountId) await pass();
  }, BOTH);
  await slow.pass();
  expect(await erasures.request(accountId)).toMatchObject({ status: "running", erased: "2" });
  expect(await open(EXPORTS)).toMatchObject([{ id }]);
});

test("a confirmation before the events are erased counts for nothing", async () => {
  await confirm(EXPORTS);
  await confirm(WEBHOOKS);
  await pass();
  expect(await erasures.request(accountId)).toMatchObject({
    status: "running",
    exports_cleared_at: null,
    webhooks_cleared_at: null,
  });
});

describe("what it selects by", () => {
  test("is shown only where it is erased", async () => {
    await world.owner.query("DELETE FROM ledger.erasures WHERE account_id = $1", [accountId]);
    await erasures.ask(accountId, { targetId: "inv_9" }, { parts: ["actor"] });
    await pass();
    const [one] = await open(EXPORTS);
    expect([one?.actorId, one?.targetId]).toEqual([undefined, undefined]);
  });
});

test("pages go on after the last erasure", async () => {
  const second = await erasures.ask(accountId, { actorId: "u_2" });
  await pass();
  await pass();
  const after = { afterAccountId: accountId, afterId: id };
  const page = await ledger.client.listOpenErasures({ copy: EXPORTS, limit: 1, ...after });
  expect(page.erasures).toMatchObject([{ accountId, id: second }]);
});

test.each([
  ["copy", () => ledger.client.listOpenErasures({ copy: UNSPECIFIED, limit: 1 })],
  ["limit", () => ledger.client.listOpenErasures({ copy: EXPORTS, limit: 0 })],
  ["limit", () => ledger.client.listOpenErasures({ copy: EXPORTS, limit: 1_001 })],
  ["copy", () => confirm(UNSPECIFIED)],
  ["erasure", () => confirm(EXPORTS, "exp_1")],
])("%s is refused", async (named, call) => {
  await expect(call()).rejects.toThrow(named);
});
