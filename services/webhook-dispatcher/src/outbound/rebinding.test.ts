// Guarantee: a name that resolves to a public and a private address in turn gets no connection (DNS
// rebinding). From the handlers to the sender, with an alternating resolver and a canary server that counts
// connections. Creating and changing a webhook ask no resolver, so they tell no internal name from an unknown
// one; the records of failed deliveries do not tell them apart either.

import { systemClock } from "@annals/contract";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { newAccountId, newDatabase, newHandlers, newReplicaWith } from "../testing/dispatcher.ts";
import { FakeProducers } from "../testing/fake-producers.ts";
import { AddressGuard } from "./address-guard.ts";
import { Sender } from "./sender.ts";

const PUBLIC = "93.184.216.34";
const EVENTS = 20;

/** Listens on the loopback interface and counts connections. */
async function newCanary() {
  const seen = { connections: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { seen, url: `https://hooks.example.com:${(server.address() as AddressInfo).port}/` };
}

/** Public, private, public, private. */
function alternating(allowPrivateAddresses: boolean) {
  const asked = { times: 0 };
  const resolve = async () => [
    { address: asked.times++ % 2 === 0 ? PUBLIC : "127.0.0.1", family: 4 },
  ];
  return { asked, guard: new AddressGuard({ resolve, allowPrivateAddresses }) };
}

function newSenderOf(guard: AddressGuard): Sender {
  const clock = systemClock();
  const sender = new Sender({ guard, clock, timeoutMs: 300, extraAuthorities: undefined });
  onTestFinished(() => sender.close());
  return sender;
}

async function begin(isOpen = false) {
  const { seen, url } = await newCanary();
  const { asked, guard } = alternating(isOpen);
  const database = await newDatabase();
  const producers = new FakeProducers();
  const handlers = newHandlers(database.pool(), producers, guard);
  const sender = newSenderOf(guard);
  const replica = newReplicaWith(sender, database.pool(), { producers });
  return { asked, handlers, replica, seen, url };
}

test("created while it was public, then delivered to: no connection, and every attempt fails", async () => {
  const { asked, handlers, replica, seen, url } = await begin();
  const accountId = newAccountId();
  const { webhook } = await handlers.create(accountId, { url });
  // The connection resolves once, and gets a private address each time.
  for (let event = 0; event < EVENTS; event++) {
    asked.times = 1;
    await replica.produce(accountId);
    await replica.engine.round();
    await replica.engine.settled();
  }
  const records = await handlers.deliveries(accountId, webhook.id);
  expect(records.map(({ success }) => success)).toEqual(
    Array.from({ length: EVENTS }, () => false),
  );
  expect(seen.connections).toBe(0);
});

test("an internal name and an unknown one look the same: nothing is asked, and their records are the same", async () => {
  const database = await newDatabase();
  const producers = new FakeProducers();
  let asked = 0;
  const guard = new AddressGuard({
    resolve: async (hostname) => {
      asked += 1;
      if (hostname.startsWith("internal")) return [{ address: "10.0.0.1", family: 4 }];
      throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    },
    allowPrivateAddresses: false,
  });
  const handlers = newHandlers(database.pool(), producers, guard);
  const sender = newSenderOf(guard);
  const replica = newReplicaWith(sender, database.pool(), { producers });
  const shown = [];
  for (const name of ["internal", "unknown"]) {
    const accountId = newAccountId();
    const { webhook } = await handlers.create(accountId, { url: `https://${name}.example.com/` });
    await handlers.update(accountId, webhook.id, { url: `https://${name}.example.com/x` });
    expect(asked).toBe(shown.length);
    await replica.produce(accountId);
    await replica.engine.round();
    await replica.engine.settled();
    const [record] = await handlers.deliveries(accountId, webhook.id);
    const { id: _id, lastAttemptAt: _last, nextRetryAt: _next, ...rest } = record ?? {};
    shown.push(rest);
  }
  expect(shown[0]).toEqual(shown[1]);
  expect(shown[0]).toMatchObject({ attempts: 1, success: false, failure: "address" });
});

test("control: with the guard open the canary is reached", async () => {
  const { asked, handlers, replica, seen, url } = await begin(true);
  const accountId = newAccountId();
  await handlers.create(accountId, { url });
  asked.times = 1;
  await replica.produce(accountId);
  await replica.engine.round();
  await replica.engine.settled();
  expect(seen.connections).toBeGreaterThan(0);
});
