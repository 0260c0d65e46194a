// Guarantee: what deliveries send is stored once for all webhooks and deleted when no delivery needs it; a
// delivery sends its own id, the same body on every attempt; the release before and this one deliver each
// other's work during an upgrade.

import { expect, test } from "vitest";
import { FakeTime, newAccountId, newService } from "../testing/dispatcher.ts";
import { cleanUp } from "./clean-up.ts";

async function begin(webhooks: number) {
  const time = new FakeTime();
  const service = await newService({ now: time.now, retryDelaysS: [60] });
  const { database, handlers } = service;
  const accountId = newAccountId();
  for (let n = 0; n < webhooks; n++) {
    await handlers.create(accountId, { url: `https://r${n}.example.com/` });
  }
  const pool = database.pool();
  const stored = async () => (await database.query("SELECT FROM webhooks.payloads")).length;
  return {
    ...service,
    accountId,
    stored,
    time,
    cleaned: async () => {
      await cleanUp({ database: pool, now: time.now, retentionDays: 30 });
      return stored();
    },
  };
}

test("one payload serves every webhook, and each delivery has an id of its own in its body", async () => {
  const { accountId, replica, stored } = await begin(20);
  const a = replica();
  a.sender.answer = () => 200;
  await a.produce(accountId, 3);
  expect(await stored()).toBe(3);
  await a.engine.round();
  await a.engine.settled();
  expect(a.sender.attempts.length).toBe(60);
  const bodies = a.sender.attempts.map(({ body }) => JSON.parse(String(body)));
  expect(bodies.map(({ id }) => id)).toEqual(a.sender.attempts.map(({ payloadId }) => payloadId));
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(60);
  const numbers = bodies.map(({ data }) => data.sequence_number);
  expect([1, 2, 3].map((n) => numbers.filter((one) => one === n).length)).toEqual([20, 20, 20]);
});

test("a payload stays while one delivery may be sent, and goes with the last", async () => {
  const { accountId, cleaned, replica, time } = await begin(3);
  const a = replica();
  a.sender.answer = ({ url }) => (url.includes("//r0.") ? 500 : 200);
  await a.produce(accountId, 2);
  expect(await cleaned()).toBe(2);
  await a.engine.round();
  await a.engine.settled();
  expect(await cleaned()).toBe(2);
  time.advance(60);
  await a.engine.round();
  await a.engine.settled();
  const ofFailing = a.sender.attempts.filter(({ url }) => url.includes("//r0."));
  expect(ofFailing.length).toBe(4);
  expect(new Set(ofFailing.map(({ body }) => String(body))).size).toBe(2);
  expect(await cleaned()).toBe(0);
});

test("payloads of disabled and deleted webhooks go too", async () => {
  const { accountId, cleaned, database, handlers, replica } = await begin(2);
  await replica().produce(accountId, 1_500);
  const webhooks = await database.query<{ id: string }>("SELECT id FROM webhooks.webhooks");
  await handlers.update(accountId, webhooks[0]?.id ?? "", { active: false });
  expect(await cleaned()).toBe(1_500);
  await handlers.delete(accountId, webhooks[1]?.id ?? "");
  expect(await cleaned()).toBe(0);
});

test("the release before claims what this one stored, and finds the body", async () => {
  const { accountId, database, replica, time } = await begin(1);
  const a = replica();
  await a.produce(accountId);
  const claimAsBefore = () =>
    database.query<{ body: Buffer; payload_id: string }>(
      `UPDATE webhooks.deliveries SET fence = fence + 1, leased = true, due_at = $1::timestamptz + interval '15 s'
       RETURNING body, payload_id`,
      [time.text()],
    );
  const [claimed] = await claimAsBefore();
  const body = JSON.parse(String(claimed?.body));
  expect(body).toMatchObject({ id: claimed?.payload_id, data: { sequence_number: 1 } });
  // Its lease is over: this release claims it, then the one before again.
  time.advance(20);
  await a.engine.round();
  expect(String(a.sender.attempts[0]?.body)).toBe(String(claimed?.body));
  time.advance(20);
  expect(String((await claimAsBefore())[0]?.body)).toBe(String(claimed?.body));
  a.sender.attempts[0]?.end({});
  await a.engine.settled();
});

test("this release delivers what the one before stored", async () => {
  const { accountId, database, replica, time } = await begin(1);
  await database.query(
    `INSERT INTO webhooks.deliveries (account_id, webhook_id, id, payload_id, event, body, created_at, next_attempt_at, due_at)
     SELECT account_id, id, 'wh_del_1', 'wh_evt_1', 'event.created', '{"id":"wh_evt_1"}', $2, $2, $2
     FROM webhooks.webhooks WHERE account_id = $1`,
    [accountId, time.text()],
  );
  const a = replica();
  a.sender.answer = () => 200;
  await a.engine.round();
  await a.engine.settled();
  expect(a.sender.attempts.map(({ body }) => String(body))).toEqual(['{"id":"wh_evt_1"}']);
  expect(await database.query("SELECT body FROM webhooks.deliveries")).toEqual([{ body: null }]);
});
