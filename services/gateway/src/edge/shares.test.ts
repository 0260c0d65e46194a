// Guarantee: whatever is taken and released in whatever order, no holder has more than its share, all of
// them together have no more than the total, one that has nothing gets whatever is free, k holders leave at
// least the 2^k-th part of the total, and what was released is free again.

import fc from "fast-check";
import { expect, test } from "vitest";
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
          const refusal = shares.take(holder, amount);
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
    while (shares.take(`greedy ${holder}`) === undefined);
  const free = TOTAL - shares.used;
  expect(free).toBe(TOTAL / 2 ** greedy);
  expect(shares.take("another", free)).toBeUndefined();
});
