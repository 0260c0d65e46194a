// Guarantee: whatever is taken and released in whatever order, no holder has more than its share, all of
// them together have no more than the total, one that has nothing gets whatever is free, k holders leave at
// least the 2^k-th part of the total, and what was released is free again. Who waits gets what is released,
// in order, and is refused when the time is over.

import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { Shares } from "./shares.ts";

const TOTAL = 64;
const SHARE = 16;

test("any order of taking and releasing", () => {
  const step = fc.record({
    holder: fc.constantFrom("a", "b", "c", "d", "e"),
    amount: fc.integer({ min: 1, max: SHARE + 4 }),
    isRelease: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const shares = new Shares({ total: TOTAL, share: SHARE });
      const taken = new Map<string, number[]>();
      const heldBy = (holder: string) => (taken.get(holder) ?? []).reduce((sum, n) => sum + n, 0);
      for (const { holder, amount, isRelease } of steps) {
        const held = heldBy(holder);
        const free = TOTAL - shares.used;
        if (isRelease) {
          const one = taken.get(holder)?.pop();
          if (one !== undefined) shares.release(holder, one);
        } else {
          const refusal = shares.tryAcquire(holder, amount);
          const expected =
            held + amount > SHARE ? "share" : held + amount > free ? "total" : undefined;
          expect(refusal).toBe(expected);
          if (refusal === undefined) taken.set(holder, [...(taken.get(holder) ?? []), amount]);
        }
        expect(shares.used).toBe([...taken.keys()].reduce((sum, each) => sum + heldBy(each), 0));
        expect(shares.used).toBeLessThanOrEqual(TOTAL);
      }
      for (const [holder, amounts] of taken)
        for (const amount of amounts) shares.release(holder, amount);
      expect([shares.used, shares.holders]).toStrictEqual([0, 0]);
    }),
  );
});

test.each([1, 2, 3, 4, 5])("%i that take all they get leave room for others", (greedy) => {
  const shares = new Shares({ total: TOTAL, share: TOTAL });
  for (let holder = 0; holder < greedy; holder += 1)
    while (shares.tryAcquire(`greedy ${holder}`) === undefined);
  const free = TOTAL - shares.used;
  expect(free).toBe(TOTAL / 2 ** greedy);
  expect(shares.tryAcquire("another", free)).toBeUndefined();
});

/** Shares of 2 of 4, waited for a second; `outcomes` has what each reservation came to, by its name. */
function waited() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shares = new Shares({ total: 4, share: 2, waitMs: 1_000 });
  const outcomes: Record<string, string> = {};
  const reserve = (holder: string, name: string) => {
    const { taken, release } = shares.acquire(holder);
    void Promise.resolve(taken).then((refusal) => (outcomes[name] = refusal ?? "held"));
    return release;
  };
  return { outcomes, reserve, shares };
}

test("who waits gets what is released, in order, and never more than a share", async () => {
  const { outcomes, reserve, shares } = waited();
  const first = reserve("a", "1");
  const second = reserve("a", "2");
  reserve("a", "3");
  reserve("a", "4");
  await vi.advanceTimersByTimeAsync(999);
  expect(outcomes).toStrictEqual({ 1: "held", 2: "held" });
  first();
  await vi.advanceTimersByTimeAsync(1);
  expect(outcomes).toStrictEqual({ 1: "held", 2: "held", 3: "held", 4: "share" });
  second();
  expect(shares.used).toBe(1);
});

test("a waiting request does not keep others from what is free, and gets what any of them releases", async () => {
  const { outcomes, reserve, shares } = waited();
  reserve("a", "a1");
  reserve("a", "a2");
  reserve("a", "a3");
  const release = reserve("b", "b1");
  reserve("b", "b2");
  await vi.advanceTimersByTimeAsync(0);
  expect(outcomes).toStrictEqual({ a1: "held", a2: "held", b1: "held" });
  expect(shares.used).toBe(3);
  release();
  await vi.advanceTimersByTimeAsync(0);
  expect(outcomes).toStrictEqual({ a1: "held", a2: "held", b1: "held", b2: "held" });
});

test("a wait that ends early takes nothing and leaves nothing", async () => {
  const { outcomes, reserve, shares } = waited();
  const releases = [reserve("a", "1"), reserve("a", "2"), reserve("a", "3")];
  releases[2]?.();
  releases[0]?.();
  releases[1]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect([shares.used, shares.holders, vi.getTimerCount()]).toStrictEqual([0, 0, 0]);
  expect(outcomes).toStrictEqual({ 1: "held", 2: "held", 3: "held" });
});
