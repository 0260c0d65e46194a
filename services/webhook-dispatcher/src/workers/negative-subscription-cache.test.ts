// Guarantee: notices of an account that nobody is told of cost a question now and then, not one each; and
// whoever subscribes is told of everything from then on, at once where this process knows of it, else within
// a moment, without any later notice and without the sweep.

import type { Pool } from "@annals/postgres";
import { eventually } from "@annals/testing";
import { expect, test } from "vitest";
import {
  FakeProducers,
  newAccountId,
  newDatabase,
  newHandlers,
  newReplica,
} from "../testing/dispatcher.ts";

const NOTICES = 1_000;

async function begin() {
  const database = await newDatabase();
  const producers = new FakeProducers();
  const pool = database.pool();
  const asked = new Map<string, number>();
  const counting: Pool = {
    ...pool,
    run: (statement, params) => {
      asked.set(statement.name, (asked.get(statement.name) ?? 0) + 1);
      return pool.run(statement, params);
    },
  };
  const { fanOut } = newReplica(counting, { producers });
  const look = (accountId: string, count = 1): void =>
    fanOut.notify({
      kind: "events",
      accountId,
      position: producers.add(accountId, "events", count),
    });
  const told = async () => (await database.query("SELECT FROM webhooks.deliveries")).length;
  return { asked, fanOut, handlers: newHandlers(pool, producers), look, told };
}

/** Two of an account that never had a webhook, one of an account that had: nobody is told of either. */
async function remembered(handlers: ReturnType<typeof newHandlers>): Promise<string[]> {
  const [never, before] = [newAccountId(), newAccountId()];
  const { webhook } = await handlers.create(before);
  await handlers.delete(before, webhook.id);
  return [never, before];
}

test("a thousand notices, a few questions", async () => {
  const { asked, fanOut, handlers, look } = await begin();
  const accounts = await remembered(handlers);
  for (const accountId of accounts) look(accountId);
  await fanOut.settled();
  const started = performance.now();
  for (let notice = 0; notice < NOTICES; notice++) {
    for (const accountId of accounts) look(accountId);
    await fanOut.settled();
  }
  const moments = Math.ceil((performance.now() - started) / 250);
  expect(asked.get("webhooks.read-cursor")).toBe(accounts.length);
  expect(asked.get("webhooks.find-subscribed") ?? 0).toBeLessThanOrEqual(moments);
  await fanOut.stop();
});

test("subscribed by way of another replica: told within a moment of what came after", async () => {
  const { fanOut, handlers, look, told } = await begin();
  for (const accountId of await remembered(handlers)) {
    look(accountId, 10);
    await fanOut.settled();
    const before = await told();
    await handlers.create(accountId);
    // The only notice of it, while the account is still remembered as one without webhooks.
    look(accountId, 5);
    await eventually("it is told", async () => (await told()) > before);
    expect(await told()).toBe(before + 5);
  }
  await fanOut.stop();
});

test("subscribed by way of this replica: told at once", async () => {
  const { fanOut, handlers, look, told } = await begin();
  const [accountId = ""] = await remembered(handlers);
  look(accountId, 10);
  await fanOut.settled();
  await handlers.create(accountId);
  look(accountId, 5);
  fanOut.expectSubscriber(accountId);
  await fanOut.settled();
  expect(await told()).toBe(5);
  await fanOut.stop();
});
