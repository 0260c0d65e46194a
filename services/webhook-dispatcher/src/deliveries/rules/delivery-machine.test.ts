// Guarantee, whatever happens in whatever order: a webhook, an account, a host and the process never have
// more in flight than they may; nothing that is due waits forever while slots are free; the first delivery
// of each webhook comes before the second of any; accounts take turns. Proved against a model of the table
// that has no PostgreSQL, with times that the test sets.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCOUNTS, DeliveryWorld, WEBHOOKS } from "../../testing/delivery-world.ts";
import { ACCOUNTS_PER_STATEMENT, DeliveryMachine } from "./delivery-machine.ts";
import { type Limits, MAX_DUE } from "./delivery-states.ts";

const limits = fc.record({
  maxInFlight: fc.integer({ min: 1, max: 20 }),
  maxInFlightPerEndpoint: fc.integer({ min: 1, max: 6 }),
  maxInFlightPerAccount: fc.integer({ min: 1, max: 8 }),
  maxInFlightPerHost: fc.integer({ min: 1, max: 8 }),
});

const anyNumber = fc.nat({ max: 100 });
const step = fc.oneof(
  fc.tuple(anyNumber, fc.integer({ min: 1, max: 8 }), fc.boolean()).map(
    ([n, count, isNotified]) =>
      (world: DeliveryWorld) =>
        world.produce(n, count, isNotified),
  ),
  fc.boolean().map((fails) => (world: DeliveryWorld) => void world.claim(fails)),
  anyNumber.map((n) => (world: DeliveryWorld) => {
    world.claim(false, () => {
      world.machine.states.read(`a${n % ACCOUNTS}`, n % 2 === 0, world.now);
      world.produce(n, 1, true);
    });
  }),
  fc.tuple(anyNumber, fc.constantFrom("ended", "ended", "released", "unread")).map(
    ([n, how]) =>
      (world: DeliveryWorld) =>
        world.end(n, how),
  ),
  fc.constant((world: DeliveryWorld) => world.scan()),
  anyNumber.map((n) => (world: DeliveryWorld) => void (world.now += n * 20)),
);

test("no bound is ever exceeded, and in the end everything is delivered and forgotten", () => {
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 60 }), (given, steps) => {
      const world = new DeliveryWorld(given);
      for (const one of steps) one(world);
      world.drain();
      expect(world.left()).toBe(0);
      for (let n = 0; n < 2 * WEBHOOKS; n++) {
        world.now += 1_000;
        world.claim(false);
      }
      for (const id of world.queues.keys()) expect(world.machine.states.stateOf(id)).toBe("idle");
      expect(world.machine.states.inFlight).toBe(0);
      for (let n = 0; n < ACCOUNTS; n++) world.machine.states.read(`a${n}`, true, world.now);
      expect(world.machine.states.size).toBe(0);
    }),
  );
});

test("without a scan and without failures everything that was notified is delivered", () => {
  const notified = fc.tuple(anyNumber, fc.integer({ min: 1, max: 8 }));
  fc.assert(
    fc.property(limits, fc.array(notified, { maxLength: 30 }), (given, all) => {
      // A share that grows when others end is found by the scan.
      const world = new DeliveryWorld({ ...given, maxInFlight: 1_000 });
      for (const [n, count] of all) world.produce(n, count, true);
      for (let round = 0; round < 1_000 && world.left() > 0; round++) {
        world.claim(false);
        if (!world.machine.states.hasWork) world.end(round, "ended");
      }
      expect(world.left()).toBe(0);
    }),
  );
});

const WIDE: Limits = {
  maxInFlight: 1_000,
  maxInFlightPerEndpoint: 10,
  maxInFlightPerAccount: 200,
  maxInFlightPerHost: 2_000,
};

describe("fairness", () => {
  test("accounts take turns: each has its claim before another has two, and no webhook a second slot", () => {
    const machine = new DeliveryMachine(WIDE);
    const accounts = ACCOUNTS_PER_STATEMENT * 3;
    for (let n = 0; n < accounts; n++) {
      machine.notified(`a${n}`, [`v${n}`, `w${n}`, `x${n}`, `y${n}`]);
    }
    const seen = [1, 2, 3].flatMap(() => {
      const grants = machine.plan(0);
      expect(new Set(grants.map(({ slots }) => slots))).toEqual(new Set([1]));
      machine.failed(grants);
      return [...new Set(grants.map(({ accountId }) => accountId))];
    });
    expect(seen.length).toBe(accounts);
    expect(new Set(seen).size).toBe(accounts);
  });

  test("an account with many webhooks has one in a claim before the others have theirs, not all", () => {
    const machine = new DeliveryMachine({ ...WIDE, maxInFlight: 5 });
    machine.notified("many", ["m1", "m2", "m3", "m4", "m5", "m6"]);
    machine.notified("b", ["b1"]);
    machine.notified("c", ["c1"]);
    const ids = machine.plan(0).map(({ webhookId }) => webhookId);
    expect(ids.slice(0, 3)).toEqual(["m1", "b1", "c1"]);
  });

  test("an account whose share has grown since it began to wait has its turn with the next scan", () => {
    const machine = new DeliveryMachine({ ...WIDE, maxInFlight: 20, maxInFlightPerAccount: 10 });
    machine.notified("a", ["a1", "a2"]);
    const grants = machine.plan(0);
    const rows = grants.flatMap(({ slots, ...owner }) =>
      Array.from({ length: slots }, () => ({ ...owner, url: "https://example.com/", dueAt: "1" })),
    );
    machine.claimed(grants, rows, 0);
    machine.notified("a", ["a3"]);
    machine.notified("b", ["b1"]);
    const other = machine.plan(0);
    machine.ended({ accountId: "a", webhookId: "a1", url: "https://example.com/" });
    expect(machine.states.stateOfAccount("a")).toBe("share");
    machine.claimed(other, [], 0);
    machine.found("a", "a3", "1");
    expect(machine.states.stateOfAccount("a")).toBe("due");
  });

  test("when half of all slots are taken, a webhook and an account have a fifth of theirs", () => {
    const machine = new DeliveryMachine({ ...WIDE, maxInFlight: 40, maxInFlightPerAccount: 15 });
    for (const account of ["a", "b"]) machine.notified(account, [`${account}1`]);
    const first = machine.plan(0);
    expect(first.map(({ slots }) => slots)).toEqual([10, 10]);
    machine.notified("c", ["c1", "c2"]);
    expect(machine.plan(0).map(({ slots, webhookId }) => [webhookId, slots])).toEqual([
      ["c1", 2],
      ["c2", 1],
    ]);
  });
});

test("an account whose events cannot be read claims nothing for a second, then one delivery at a time", () => {
  const machine = new DeliveryMachine(WIDE);
  machine.notified("a", ["w1", "w2"]);
  machine.states.read("a", false, 0);
  expect(machine.plan(999)).toEqual([]);
  const probe = machine.plan(1_000);
  expect(probe.map(({ slots }) => slots)).toEqual([1]);
  expect(machine.plan(1_000)).toEqual([]);
  machine.states.read("a", true, 1_000);
  expect(machine.plan(1_000).map(({ webhookId }) => webhookId)).toEqual(["w2"]);
});

test("what becomes due while a claim is in flight is claimed after it", () => {
  const machine = new DeliveryMachine(WIDE);
  machine.notified("a", ["w"]);
  const grants = machine.plan(0);
  machine.notified("a", ["w"]);
  machine.claimed(grants, [], 0);
  expect(machine.plan(0).map(({ webhookId }) => webhookId)).toEqual(["w"]);
});

test("a queue is entered where the last claim or the scan has seen its head, and anew after a release", () => {
  const machine = new DeliveryMachine(WIDE);
  const owner = { accountId: "a", webhookId: "w", url: "https://example.com/" };
  const since = () => {
    machine.notified("a", ["w"]);
    const [grant] = machine.plan(0);
    machine.claimed(grant ? [grant] : [], [{ ...owner, dueAt: "5" }], 0);
    return grant?.since;
  };
  machine.found("a", "w", "3");
  expect([since(), since()]).toEqual(["3", "5"]);
  machine.ended(owner);
  machine.released(owner);
  expect(since()).toBeUndefined();
});

test("memory is bounded: the scan has no capacity once as many webhooks are due", () => {
  const machine = new DeliveryMachine(WIDE);
  for (let n = 0; n <= MAX_DUE; n++) machine.notified("a", [`w${n}`]);
  expect(machine.states.capacity).toBe(0);
  expect([MAX_DUE - 1, MAX_DUE].map((n) => machine.states.stateOf(`w${n}`))).toEqual([
    "due",
    "idle",
  ]);
});
