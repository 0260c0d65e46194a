// Guarantee: notices of an account without subscribers cost a query now and then, not one each; and a new
// subscriber gets everything from then on, at once where this process created it, else within a moment,
// without any later notice and without the sweep.

import { eventually, lostServer } from "@annals/testing";
import { expect, test } from "vitest";
import {
  newAccountId,
  type newHandlers,
  newService,
  intercepted,
} from "../../testing/dispatcher.ts";

const NOTICES = 1_000;

async function begin(lost: ReadonlySet<string> = new Set()) {
  const { database, handlers, producers, replica } = await newService();
  const pool = database.pool();
  const asked = new Map<string, number>();
  const run = lostServer<typeof pool.run>((...given) => pool.run(...given), lost);
  const counting = intercepted(pool, {
    run: (statement, params) => {
      asked.set(statement.name, (asked.get(statement.name) ?? 0) + 1);
      return lost.size > 0 ? run(statement, params) : pool.run(statement, params);
    },
  });
  const { fanOut } = replica(counting);
  const notify = (accountId: string, count = 1): void =>
    fanOut.notify({
      kind: "events",
      accountId,
      position: producers.add(accountId, "events", count),
    });
  const queued = async () => (await database.query("SELECT FROM webhooks.deliveries")).length;
  return { asked, fanOut, handlers, notify, queued };
}

/** An account that never had a webhook, and one that had: neither has a subscriber. */
async function withoutSubscribers(handlers: ReturnType<typeof newHandlers>): Promise<string[]> {
  const [never, before] = [newAccountId(), newAccountId()];
  const { webhook } = await handlers.create(before);
  await handlers.delete(before, webhook.id);
  return [never, before];
}

test("a thousand notices, a few queries", async () => {
  const { asked, fanOut, handlers, notify } = await begin();
  const accounts = await withoutSubscribers(handlers);
  for (const accountId of accounts) notify(accountId);
  await fanOut.settled();
  const started = performance.now();
  for (let notice = 0; notice < NOTICES; notice++) {
    for (const accountId of accounts) notify(accountId);
    await fanOut.settled();
  }
  const intervals = Math.ceil((performance.now() - started) / 250);
  expect(asked.get("webhooks.read-cursor")).toBe(accounts.length);
  expect(asked.get("webhooks.find-subscribed") ?? 0).toBeLessThanOrEqual(intervals);
  await fanOut.stop();
});

test("subscribed on another replica: delivered within a moment", async () => {
  const { fanOut, handlers, notify, queued } = await begin();
  for (const accountId of await withoutSubscribers(handlers)) {
    notify(accountId, 10);
    await fanOut.settled();
    const before = await queued();
    await handlers.create(accountId);
    // The only notice, while the account is still in the cache.
    notify(accountId, 5);
    await eventually("it is queued", async () => (await queued()) > before);
    expect(await queued()).toBe(before + 5);
  }
  await fanOut.stop();
});

test("subscribed on this replica: delivered at once", async () => {
  const { fanOut, handlers, notify, queued } = await begin();
  const [accountId = ""] = await withoutSubscribers(handlers);
  notify(accountId, 10);
  await fanOut.settled();
  await handlers.create(accountId);
  notify(accountId, 5);
  fanOut.expectSubscriber(accountId);
  await fanOut.settled();
  expect(await queued()).toBe(5);
  await fanOut.stop();
});

test("while a server is away, its accounts keep their notices, and others are served", async () => {
  const lost = new Set<string>();
  const { fanOut, handlers, notify, queued } = await begin(lost);
  const [away = "", other = ""] = await withoutSubscribers(handlers);
  for (const accountId of [away, other]) {
    notify(accountId, 10);
    await fanOut.settled();
    await handlers.create(accountId);
  }
  lost.add(away);
  for (const accountId of [away, other]) notify(accountId, 5);
  await eventually("the other account is served", async () => (await queued()) === 5);
  lost.delete(away);
  await eventually("the kept notice is served", async () => (await queued()) > 5);
  expect(await queued()).toBe(10);
  await fanOut.stop();
});
