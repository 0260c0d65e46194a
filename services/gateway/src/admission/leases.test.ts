// Guarantees of a lease: it admits for 250 ms from before the question by either clock, and no more than was
// counted ahead. It ends with the windows of the key and of its account. A lower limit gets none.

import { ComparedClock } from "@annals/contract";
import { describe, expect, test } from "vitest";
import { Unauthenticated } from "../edge/unauthenticated.ts";
import {
  gateway,
  type Group,
  KEY,
  Keys,
  LEASE_MS,
  LIMIT,
  nextTurn,
  pass,
  stopTime,
  WINDOW_MS,
} from "../testing/leased-keys.ts";
import { Admissions } from "./admissions.ts";
import { NO_WORKLOADS } from "../testing/no-workloads.ts";

/** A gateway that has just asked for a lease, and has some of it left. */
async function leased(keys = new Keys()) {
  const one = gateway(keys);
  for (let n = 0; n < 3; n += 1) await one.get();
  expect(keys.asked).toEqual([
    { count: 1, ahead: 0 },
    { count: 1, ahead: 2 },
  ]);
  return one;
}

describe("a lease", () => {
  test("admits, again after a body, for 250 ms by the monotonic clock", async () => {
    stopTime();
    const { asksAgain } = await leased();
    pass(LEASE_MS - 1);
    expect(await asksAgain()).toBe(false);
    pass(1);
    expect(await asksAgain()).toBe(true);
  });

  test.each([LEASE_MS, -LEASE_MS])(
    "ends when the wall clock moves by %d ms while the other is stopped",
    async (ms) => {
      stopTime();
      const { asksAgain, state } = await leased();
      state.wallShiftUs = Math.sign(ms) * (LEASE_MS - 1) * 1_000;
      expect(await asksAgain()).toBe(false);
      state.wallShiftUs = ms * 1_000;
      expect(await asksAgain()).toBe(true);
    },
  );

  test("ends by the monotonic clock while the wall clock is set back again and again", async () => {
    stopTime();
    const { asksAgain, state } = await leased();
    for (let ms = 50; ms <= LEASE_MS; ms += 50) {
      pass(50);
      state.wallShiftUs -= 50_000;
    }
    expect(await asksAgain()).toBe(true);
  });

  test("is counted from before the question, however late its answer is", async () => {
    stopTime();
    const keys = new Keys();
    const { asksAgain, get } = gateway(keys);
    await get();
    keys.travel = async () => void pass(100);
    await get();
    keys.travel = async () => {};
    pass(49);
    expect(await asksAgain()).toBe(false);
    pass(1);
    expect(await asksAgain()).toBe(true);
  });

  test("admits nothing while the clock of the gateway is wrong", async () => {
    const keys = new Keys();
    const shiftUs = 7_000_000;
    let aheadUs = 0;
    const nowMicros = () => Date.now() * 1_000 + aheadUs;
    const clock = new ComparedClock({ nowMicros, nowText: () => "" });
    const budget = { isOver: () => false };
    const unauthenticated = new Unauthenticated({ budget, onRefused: () => {} });
    const answered = async (request: { groups?: Group[] }) => ({
      ...(await keys.admitRequests(request)),
      databaseTimeUs: BigInt(Date.now()) * 1_000n,
    });
    keys.leaseMs = 1_000_000;
    const admissions = new Admissions(
      { admitRequests: answered, ...NO_WORKLOADS },
      unauthenticated,
      clock,
    );
    const request = { requestId: "req_1", ip: "::1", isWidget: false };
    const get = () =>
      admissions.admit(KEY, { ...request, address: "::1", body: { complete: true } });
    for (let n = 0; n < 3; n += 1) await get();
    expect(keys.asked).toHaveLength(2);
    aheadUs = shiftUs;
    await expect(get()).rejects.toMatchObject({ kind: "unavailable" });
  });

  test.each([
    ["the answer gives none", LIMIT, 0],
    ["a 32nd of the limit is less than 16", 511, LEASE_MS],
    ["of the default limit", 100, LEASE_MS],
  ])(
    "there is none if %s: keys is asked for each request, and counts nothing ahead",
    async (_, limit, leaseMs) => {
      stopTime();
      const keys = new Keys(limit);
      keys.leaseMs = leaseMs;
      const { asksAgain, get } = gateway(keys);
      for (let n = 1; n <= 20; n += 1) {
        const { accountWindow, remaining } = await get();
        expect([remaining, accountWindow.used]).toEqual([limit - n, n]);
        expect(await asksAgain()).toBe(true);
      }
      expect(new Set(keys.asked.map(({ ahead }) => ahead))).toEqual(new Set([0]));
    },
  );

  test("doubles while it is used up, and is never more than a 32nd of the limit", async () => {
    stopTime();
    const keys = new Keys();
    const { get } = gateway(keys);
    for (let n = 0; n < 200; n += 1) await get();
    const ahead = keys.asked.map((asked) => asked.ahead);
    expect(ahead).toEqual([0, 2, 4, 8, 16, ...Array<number>(5).fill(LIMIT / 32)]);
  });

  test("leaves the rest of it to the next one, which has a quarter more than was used", async () => {
    stopTime();
    const keys = new Keys();
    const { get } = gateway(keys);
    // The fifth question has taken 16 ahead: 8 of them are used.
    for (let n = 0; n < 19 + 8; n += 1) await get();
    pass(LEASE_MS);
    await get();
    // 8 are left, of which one is for the request itself.
    expect(keys.asked.at(-1)).toEqual({ count: 0, ahead: 3 });
  });

  test("ends with its window, up to a second earlier, and nothing is left for the next one", async () => {
    stopTime();
    const keys = new Keys();
    keys.leaseMs = 5_000;
    const { get } = await leased(keys);
    const asks = keys.asked.length;
    pass(WINDOW_MS - 1_100);
    await get();
    pass(999);
    await get();
    expect(keys.asked.slice(asks)).toEqual([{ count: 0, ahead: 2 }]);
    pass(1);
    for (let n = 0; n < 2; n += 1) await get();
    // The next window.
    pass(100);
    for (let n = 0; n < 3; n += 1) await get();
    expect(keys.asked.slice(asks + 1)).toEqual([
      { count: 1, ahead: 0 },
      { count: 1, ahead: 0 },
      { count: 1, ahead: 0 },
      { count: 1, ahead: 2 },
    ]);
  });

  test("of a window that has ended unseen leaves nothing to the next one", async () => {
    stopTime();
    const keys = new Keys();
    const { get } = await leased(keys);
    const asks = keys.asked.length;
    pass(WINDOW_MS);
    for (let n = 0; n < 2; n += 1) await get();
    expect(keys.asked.slice(asks)).toEqual([
      { count: 1, ahead: 0 },
      { count: 1, ahead: 2 },
    ]);
  });

  test("ends with the window of the account, if that ends first, and leaves nothing", async () => {
    stopTime();
    const keys = new Keys();
    keys.leaseMs = 5_000;
    // Another key has begun it.
    keys.accountStartedMs = performance.now() - WINDOW_MS + 4_000;
    const { asksAgain, get } = await leased(keys);
    pass(2_999);
    expect(await asksAgain()).toBe(false);
    pass(1);
    expect(await asksAgain()).toBe(true);
    await get();
    expect(keys.asked.at(-1)).toEqual({ count: 1, ahead: 0 });
  });

  test("ends with the window of the account, also if the last answer did not show that", async () => {
    stopTime();
    const keys = new Keys();
    keys.accountStartedMs = performance.now() - WINDOW_MS + 4_000;
    const { get } = gateway(keys);
    for (let n = 0; n < 5; n += 1) await get();
    const { outcome: ofAnother } = gateway(keys);
    await Promise.all(Array.from({ length: LIMIT }, ofAnother));
    pass(LEASE_MS);
    // The window of the key is full. One of the four that are left admits it.
    await get();
    pass(2_750);
    await expect(get()).rejects.toMatchObject({ kind: "rate_limited" });
  });

  test("leaves nothing to the next window when the machine was suspended", async () => {
    stopTime();
    const keys = new Keys();
    const { get, state } = await leased(keys);
    state.wallShiftUs = WINDOW_MS * 1_000;
    keys.startedMs -= WINDOW_MS;
    await get();
    expect(keys.asked.at(-1)).toEqual({ count: 1, ahead: 0 });
  });

  test("is renewed by one question at a time", async () => {
    stopTime();
    const keys = new Keys();
    const { get } = gateway(keys);
    await get();
    const gate = Promise.withResolvers<void>();
    keys.travel = () => gate.promise;
    const asked = [get()];
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    asked.push(get());
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    gate.resolve();
    await Promise.all(asked);
    expect(keys.asked).toEqual([
      { count: 1, ahead: 0 },
      { count: 1, ahead: 2 },
      { count: 1, ahead: 0 },
    ]);
  });

  test("refuses nothing: what it does not admit is asked for", async () => {
    stopTime();
    const keys = new Keys();
    const { get, outcome, readmit } = gateway(keys);
    const admitted = await Promise.all(Array.from({ length: LIMIT }, outcome));
    expect(new Set(admitted)).toEqual(new Set(["admitted"]));
    const counts = keys.asked.length;
    await expect(get()).rejects.toMatchObject({ kind: "rate_limited", limit: LIMIT });
    expect(keys.asked.length).toBeGreaterThan(counts);
    // A request that was counted before is admitted beside those that are refused.
    pass(LEASE_MS);
    const [refused, again] = await Promise.allSettled([get(), readmit()]);
    expect([refused.status, again.status]).toEqual(["rejected", "fulfilled"]);
  });

  test("goes on after keys was away", async () => {
    stopTime();
    const keys = new Keys();
    const { get, outcome } = await leased(keys);
    pass(LEASE_MS);
    keys.isDown = true;
    for (let n = 0; n < 3; n += 1) expect(await outcome()).toBe("unavailable");
    keys.isDown = false;
    await get();
    pass(LEASE_MS);
    await get();
    expect(keys.asked.at(-1)?.ahead).toBeGreaterThan(0);
  });
});
