// Guarantees of leases, with any gateways and delays: no request that begins after a revocation was answered
// is admitted; no window admits more than its limit; a steady client at 0.9 of the limit is never refused;
// with one gateway X-RateLimit-Remaining and the usage are exact.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gateway, Keys, nextTurn, pass, stopTime, WINDOW_MS } from "../testing/leased-keys.ts";

/** How long a revocation waits between its commit and its answer. */
const WAIT_MS = 300;

/** What a few gateways do: requests at once at one of them, and the time that passes before. */
const steps = fc.array(
  fc.record({
    at: fc.nat(2),
    requests: fc.integer({ min: 1, max: 12 }),
    passesMs: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 400 })),
  }),
  { minLength: 10, maxLength: 60 },
);
/** How long a question and its answer take. */
const travels = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 20 });

function slowly(keys: Keys, delays: readonly number[]): void {
  let next = 0;
  keys.travel = async () => {
    await nextTurn();
    pass(delays[next++ % delays.length] ?? 0);
  };
}

describe("a revocation", () => {
  /** Requests that began later than so long after the commit, and were admitted. */
  async function admittedAfter(
    waitMs: number,
    before: readonly { at: number; requests: number; passesMs: number }[],
    delays: readonly number[],
  ): Promise<number> {
    const keys = new Keys(1_000_000);
    slowly(keys, delays);
    const gateways = Array.from({ length: 3 }, () => gateway(keys));
    const use = (at: number, requests: number) =>
      Promise.all(Array.from({ length: requests }, async () => gateways[at]?.outcome()));
    for (const { at, passesMs, requests } of before) {
      pass(passesMs);
      await use(at, requests);
    }
    const inFlight = gateways.map((_, at) => use(at, 3));
    // Some of their answers have found the key, and arrive later.
    for (let turn = 0; turn < delays.length % 5; turn += 1) await nextTurn();
    keys.isRevoked = true;
    pass(waitMs);
    await Promise.all(inFlight);
    const after = await Promise.all(gateways.map((_, at) => use(at, 5)));
    return after.flat().filter((outcome) => outcome === "admitted").length;
  }

  test("is answered when no gateway admits by a lease from before it", async () => {
    stopTime();
    await fc.assert(
      fc.asyncProperty(steps, travels, async (before, delays) => {
        expect(await admittedAfter(WAIT_MS, before, delays)).toBe(0);
      }),
    );
  });

  test("control: without the wait requests that begin after its answer are admitted", async () => {
    stopTime();
    const many = Array.from({ length: 60 }, (_, n) => ({ at: n % 3, requests: 4, passesMs: 1 }));
    expect(await admittedAfter(0, many, [0])).toBeGreaterThan(0);
  });
});

describe("the limit", () => {
  test("of a key and that of its account are never exceeded in a window, over three gateways", async () => {
    stopTime();
    await fc.assert(
      fc.asyncProperty(
        steps,
        travels,
        fc.integer({ min: 640, max: 900 }),
        fc.constantFrom(0.8, 60),
        fc.integer({ min: 0, max: WINDOW_MS }),
        async (some, delays, limit, ofAccount, begunMs) => {
          const keys = new Keys(limit, Math.floor(ofAccount * limit));
          keys.accountStartedMs = performance.now() - begunMs;
          slowly(keys, delays);
          const gateways = Array.from({ length: 3 }, () => gateway(keys));
          const late: number[] = [];
          let admitted = 0;
          const use = async (at: number) => {
            const beganMs = performance.now();
            if ((await gateways[at]?.outcome()) !== "admitted") return;
            admitted += 1;
            const startedMs = Math.min(keys.startedMs, keys.accountStartedMs);
            if (beganMs >= startedMs + WINDOW_MS) late.push(beganMs);
          };
          // Several windows, each of which ends in the middle of leases, with more than their limit.
          const excess: number[] = [];
          for (const { at, passesMs, requests } of [...some, ...some, ...some]) {
            pass(passesMs * 20);
            await Promise.all(Array.from({ length: requests * 8 }, () => use(at)));
            excess.push(Math.max(0, admitted - keys.counted));
          }
          expect(new Set(excess)).toEqual(new Set([0]));
          expect(late).toEqual([]);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("of the account refuses when it is reached, and says so", async () => {
    stopTime();
    const { get } = gateway(new Keys(1_000, 640));
    for (let n = 0; n < 640; n += 1) await get();
    await expect(get()).rejects.toThrow(/: 640 requests per minute for this account/);
  });

  test("passes exactly with one gateway, whose headers and usage are exact", async () => {
    stopTime();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 3, maxLength: 10 }),
        async (pauses) => {
          const keys = new Keys(600);
          const { get } = gateway(keys);
          const shown: number[] = [];
          const used: number[] = [];
          for (let n = 0; n < 600; n += 1) {
            pass(n % 7 === 0 ? (pauses[(n / 7) % pauses.length] ?? 0) : 0);
            const { accountWindow, remaining } = await get();
            shown.push(remaining);
            used.push(accountWindow.used);
          }
          const ofWindow = Array.from({ length: 600 }, (_, n) => n + 1);
          expect(shown).toEqual(ofWindow.map((n) => 600 - n));
          expect(used).toEqual(ofWindow);
          await expect(get()).rejects.toMatchObject({ kind: "rate_limited" });
        },
      ),
      { numRuns: 20 },
    );
  });

  test("never refuses a steady client at 0.9 of it, over three gateways and windows", async () => {
    stopTime();
    for (const limit of [512, 6_000]) {
      const keys = new Keys(limit);
      slowly(keys, [0]);
      const gateways = Array.from({ length: 3 }, () => gateway(keys));
      const perWindow = Math.floor(limit * 0.9);
      const refused: number[] = [];
      let debtMs = 0;
      for (let n = 0; n < 3 * perWindow; n += 1) {
        debtMs += WINDOW_MS / perWindow;
        pass(Math.floor(debtMs));
        debtMs -= Math.floor(debtMs);
        if ((await gateways[(n * 7) % 3]?.outcome()) !== "admitted") refused.push(n);
      }
      expect(refused).toEqual([]);
    }
  });
});
