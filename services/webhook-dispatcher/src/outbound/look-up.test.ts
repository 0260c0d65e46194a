// Guarantee: names that are never answered delay no other account, a caller that waits for a name leaves by
// the deadline and joins no look-up that is about to fail, and an answer is cached for a moment only. With a
// name server on the loopback interface, from the store to a receiver.

import { CertificateAuthority } from "@annals/certificates";
import { type SlotsOptions, systemClock } from "@annals/contract";
import { eventually, Subscriber } from "@annals/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { newDnsServer } from "../testing/dns-server.ts";
import { newAccountId, newDatabase, newHandlers, newReplicaWith } from "../testing/dispatcher.ts";
import { FakeProducers } from "../testing/fake-producers.ts";
import { accountResolver } from "./account-resolver.ts";
import { AddressGuard } from "./address-guard.ts";
import { dnsLookUp, type LookUp, withSystemNames } from "./look-up.ts";
import { Sender } from "./sender.ts";

const authority = await CertificateAuthority.create();
/** Longer than a test takes on a busy machine: no silent look-up ends before it. */
const SILENT_MS = 60_000;
const LOOPBACK = { addresses: ["127.0.0.1"] };

/** 40 webhooks of one account on names that are never answered, and one of another on a name that is. */
async function begin(slots: SlotsOptions) {
  const { servers } = await newDnsServer((name) =>
    name.startsWith("silent") ? undefined : LOOPBACK,
  );
  const database = await newDatabase();
  const producers = new FakeProducers();
  const guard = new AddressGuard({
    resolve: accountResolver({ lookUp: dnsLookUp(servers), timeoutMs: SILENT_MS, slots }),
    allowPrivateAddresses: true,
  });
  const sender = new Sender({
    guard,
    clock: systemClock(),
    timeoutMs: SILENT_MS,
    extraAuthorities: authority.cert,
  });
  onTestFinished(() => sender.close());
  const handlers = newHandlers(database.pool(), producers, guard);
  const replica = newReplicaWith(sender, database.pool(), { producers });
  const [attacker, victim] = [newAccountId(), newAccountId()];
  for (let n = 0; n < 40; n++)
    await handlers.create(attacker, { url: `https://silent-${n}.test/` });
  await replica.produce(attacker, 5);
  await replica.engine.round();
  const subscriber = await Subscriber.start(authority, "hooks.victim.test");
  onTestFinished(() => subscriber.close());
  await handlers.create(victim, { url: `https://hooks.victim.test:${subscriber.port}/` });
  onTestFinished(() => replica.engine.stop(0));
  return { replica, subscriber, victim };
}

describe("40 webhooks on silent names", () => {
  test("another account's deliveries arrive at once", async () => {
    const { replica, subscriber, victim } = await begin({ total: 32, perAccount: 16 });
    await replica.produce(victim, 5);
    await replica.engine.round();
    expect(await subscriber.waitFor(5, 3_000)).toHaveLength(5);
  });

  test("control: without a share for each account they do not", async () => {
    const { replica, subscriber, victim } = await begin({ total: 32, perAccount: 32 });
    await replica.produce(victim, 5);
    await replica.engine.round();
    await expect(subscriber.waitFor(1, 3_000)).rejects.toThrow("there were 0");
  });
});

describe("a look-up", () => {
  const resolverOf = (lookUp: LookUp, given: { timeoutMs?: number; now?: () => number } = {}) =>
    accountResolver({ lookUp, timeoutMs: 300, ...given });

  test("of a silent name ends by its deadline, and leaves its slot", async () => {
    const { servers } = await newDnsServer((name) =>
      name === "silent.test" ? undefined : LOOPBACK,
    );
    const slots = { total: 1, perAccount: 1 };
    const resolve = accountResolver({ lookUp: dnsLookUp(servers), timeoutMs: 300, slots });
    await expect(resolve("silent.test", "a")).rejects.toMatchObject({ code: "ECANCELLED" });
    expect(await resolve("hooks.test", "b")).toEqual([{ address: "127.0.0.1", family: 4 }]);
  });

  test("that waits for a slot leaves by its deadline, and never begins", async () => {
    const asked: string[] = [];
    const lookUp: LookUp = (hostname) => {
      asked.push(hostname);
      return new Promise(() => {});
    };
    const slots = { total: 1, perAccount: 1 };
    const resolve = accountResolver({ lookUp, timeoutMs: 100, slots });
    void resolve("one.test", "a");
    await expect(resolve("two.test", "b")).rejects.toMatchObject({ code: "ETIMEOUT" });
    expect(asked).toEqual(["one.test"]);
  });

  test("goes to the accounts in turn", async () => {
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const lookUp: LookUp = (hostname) => {
      order.push(hostname);
      return new Promise((resolve) => ends.push(() => resolve([])));
    };
    const slots = { total: 1, perAccount: 1 };
    const resolve = accountResolver({ lookUp, timeoutMs: 5_000, slots });
    const all = ["a1", "a2", "a3"].map((name) => resolve(name, "a"));
    all.push(resolve("b1", "b"), resolve("c1", "c"));
    for (let ended = 0; ended < all.length; ended++) {
      await eventually("the next began", () => ends.length > ended);
      ends[ended]?.();
    }
    await Promise.all(all);
    expect(order).toEqual(["a1", "a2", "b1", "c1", "a3"]);
  });

  test("follows an alias, and an unknown name has no address", async () => {
    const { servers } = await newDnsServer((name) => {
      if (name === "alias.test") return { alias: "hooks.test", ...LOOPBACK };
      return "unknown";
    });
    const resolve = resolverOf(dnsLookUp(servers));
    expect(await resolve("alias.test", "a")).toEqual([{ address: "127.0.0.1", family: 4 }]);
    await expect(resolve("none.test", "a")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  test("is shared by those who ask at the same time, for a second; its answer for a moment", async () => {
    let now = 0;
    const ends: ((error?: Error) => void)[] = [];
    const lookUp: LookUp = () =>
      new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve([]))));
    const resolve = resolverOf(lookUp, { now: () => now, timeoutMs: 5_000 });
    const count = async () => {
      await new Promise(setImmediate);
      return ends.length;
    };
    const joined = [resolve("x", "a"), resolve("x", "a")];
    expect(await count()).toBe(1);
    const other = resolve("x", "b");
    expect(await count()).toBe(2);
    // The first is about to fail: callers no longer join it.
    now = 1_001;
    const late = resolve("x", "a");
    expect(await count()).toBe(3);
    ends[0]?.(new Error("silent"));
    for (const one of joined) await expect(one).rejects.toThrow("silent");
    ends[1]?.();
    ends[2]?.();
    await Promise.all([other, late]);
    await resolve("x", "a");
    expect(await count()).toBe(3);
    now = 10_000;
    const again = resolve("x", "a");
    expect(await count()).toBe(4);
    ends[3]?.();
    await again;
  });
});

describe("names that DNS does not know", () => {
  test("are found where private addresses are allowed, and there only", async () => {
    const { asked, servers } = await newDnsServer(() => "unknown");
    const dns = dnsLookUp(servers);
    const until = performance.now() + 5_000;
    await expect(dns("localhost", "a", until)).rejects.toMatchObject({ code: "ENOTFOUND" });
    const before = asked.length;
    const open = withSystemNames(dns, (name) => name === "localhost");
    expect(await open("localhost", "a", until)).toContainEqual({ address: "127.0.0.1", family: 4 });
    expect(asked.length).toBe(before);
  });

  test("a silent name does not go on to the system resolver", async () => {
    const { servers } = await newDnsServer(() => undefined);
    const open = withSystemNames(dnsLookUp(servers), () => false);
    const looked = open("localhost", "a", performance.now() + 200);
    await expect(looked).rejects.toMatchObject({ code: "ECANCELLED" });
  });
});
