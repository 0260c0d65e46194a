// Guarantees: an item that comes while a group is under way goes with a later group, never with
// that one; groups and what waits are bounded; a failure reaches the items it belongs to and no
// others; keys do not wait for each other, and an idle key leaves nothing behind.

import { AnnalsError } from "@annals/errors";
import { describe, expect, test } from "vitest";
import { Coalescer, type CoalescerOptions, KeyedCoalescer } from "./coalesce.ts";

interface Group {
  readonly items: readonly number[];
  /** Ends the group's work: each item's result is its tenfold. */
  finish(): void;
  fail(error: Error): void;
}

/** Work that a test ends by hand, and the groups begun so far. */
function byHand() {
  const groups: Group[] = [];
  const work = (items: readonly number[]) =>
    new Promise<PromiseSettledResult<number>[]>((resolve, reject) => {
      const results = () =>
        items.map((item) => ({ status: "fulfilled" as const, value: item * 10 }));
      groups.push({ items: [...items], finish: () => resolve(results()), fail: reject });
    });
  return { groups, work, begun: () => groups.map(({ items }) => items) };
}

const BOUNDS: Omit<CoalescerOptions<number, number>, "work"> = {
  maxGroup: 3,
  lanes: 1,
  maxWaiting: 100,
};

/** Until every callback that is due has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("groups", () => {
  test("what comes in one turn of the event loop goes together, and at its end", async () => {
    const { groups, work, begun } = byHand();
    const coalescer = new Coalescer({ ...BOUNDS, work });
    const answers = [coalescer.submit(1), coalescer.submit(2)];
    await Promise.resolve();
    answers.push(coalescer.submit(3));
    expect(begun()).toStrictEqual([]);
    await settled();
    expect(begun()).toStrictEqual([[1, 2, 3]]);
    groups[0]?.finish();
    expect(await Promise.all(answers)).toStrictEqual([10, 20, 30]);
  });

  test("what comes while a group is under way waits for the next group", async () => {
    const { groups, work, begun } = byHand();
    const coalescer = new Coalescer({ ...BOUNDS, work });
    const first = coalescer.submit(1);
    await settled();
    expect(begun()).toStrictEqual([[1]]);
    const others = [coalescer.submit(2), coalescer.submit(3)];
    await settled();
    expect(begun()).toStrictEqual([[1]]);
    groups[0]?.finish();
    expect(await first).toBe(10);
    await settled();
    expect(begun()).toStrictEqual([[1], [2, 3]]);
    const late = coalescer.submit(4);
    groups[1]?.finish();
    expect(await Promise.all(others)).toStrictEqual([20, 30]);
    await settled();
    expect(begun()).toStrictEqual([[1], [2, 3], [4]]);
    groups[2]?.finish();
    expect(await late).toBe(40);
    expect(coalescer.idle).toBe(true);
  });

  test("an item submitted by the very work of a group does not join it", async () => {
    const begun: number[][] = [];
    let inner: Promise<number> | undefined;
    const coalescer: Coalescer<number, number> = new Coalescer({
      ...BOUNDS,
      work: async (items) => {
        begun.push([...items]);
        inner ??= coalescer.submit(2);
        return items.map((item) => ({ status: "fulfilled", value: item }));
      },
    });
    expect(await coalescer.submit(1)).toBe(1);
    expect(await inner).toBe(2);
    expect(begun).toStrictEqual([[1], [2]]);
  });

  test("no group is larger than its bound, by weight, except one item that alone is", async () => {
    const { groups, work, begun } = byHand();
    const coalescer = new Coalescer({ ...BOUNDS, work, weigh: (item) => item });
    const answers = [1, 2, 1, 1, 9, 1].map((item) => coalescer.submit(item));
    for (let n = 0; n < 4; n += 1) {
      await settled();
      groups[n]?.finish();
    }
    expect(begun()).toStrictEqual([[1, 2], [1, 1], [9], [1]]);
    expect(await Promise.all(answers)).toStrictEqual([10, 20, 10, 10, 90, 10]);
  });

  test("as many groups are under way as there are lanes, and no more", async () => {
    const { groups, work, begun } = byHand();
    const coalescer = new Coalescer({ ...BOUNDS, lanes: 2, work });
    const answers = [coalescer.submit(1)];
    await settled();
    answers.push(coalescer.submit(2));
    await settled();
    answers.push(coalescer.submit(3), coalescer.submit(4));
    await settled();
    expect(begun()).toStrictEqual([[1], [2]]);
    groups[1]?.finish();
    await settled();
    expect(begun()).toStrictEqual([[1], [2], [3, 4]]);
    groups[0]?.finish();
    groups[2]?.finish();
    await Promise.all(answers);
  });
});

describe("too much work", () => {
  test("is refused at once as unavailable, and what waits is not harmed", async () => {
    const { groups, work } = byHand();
    const coalescer = new Coalescer({ ...BOUNDS, maxWaiting: 2, work });
    const kept = [coalescer.submit(1)];
    await settled();
    kept.push(coalescer.submit(2), coalescer.submit(3));
    await expect(coalescer.submit(4)).rejects.toMatchObject({ kind: "unavailable" });
    groups[0]?.finish();
    await settled();
    const again = coalescer.submit(5);
    groups[1]?.finish();
    await settled();
    groups[2]?.finish();
    expect(await Promise.all([...kept, again])).toStrictEqual([10, 20, 30, 50]);
  });

  test("is not one item that is larger than the bound while nothing waits", async () => {
    const { groups, work } = byHand();
    const coalescer = new Coalescer({ ...BOUNDS, maxWaiting: 2, work, weigh: (item) => item });
    const answer = coalescer.submit(7);
    await settled();
    groups[0]?.finish();
    expect(await answer).toBe(70);
  });
});

describe("failures", () => {
  test("of a group reach all of it, and the next group goes on", async () => {
    const { groups, work } = byHand();
    const coalescer = new Coalescer({ ...BOUNDS, work });
    const answers = Promise.allSettled([1, 2].map((item) => coalescer.submit(item)));
    await settled();
    const after = coalescer.submit(3);
    groups[0]?.fail(new Error("lost"));
    await settled();
    groups[1]?.finish();
    const outcomes = (await answers).map(({ status }) => status);
    expect(outcomes).toStrictEqual(["rejected", "rejected"]);
    expect(await after).toBe(30);
  });

  test("of one item reach that item only; a result too few is a failure", async () => {
    const coalescer = new Coalescer<number, number>({
      ...BOUNDS,
      maxGroup: 1,
      work: async ([item]) =>
        item === 1 ? [] : [{ status: "rejected", reason: new AnnalsError("invalid", "No.") }],
    });
    const [none, refused] = await Promise.allSettled([1, 2].map((item) => coalescer.submit(item)));
    expect(none).toMatchObject({ reason: { message: expect.stringContaining("gave no result") } });
    expect(refused).toMatchObject({ reason: { kind: "invalid" } });
  });

  test("thrown before any promise do not stop the lane", async () => {
    let calls = 0;
    const coalescer = new Coalescer<number, number>({
      ...BOUNDS,
      work: (items) => {
        if ((calls += 1) === 1) throw new Error("at once");
        return Promise.resolve(items.map((value) => ({ status: "fulfilled", value })));
      },
    });
    await expect(coalescer.submit(1)).rejects.toThrow("at once");
    expect(await coalescer.submit(2)).toBe(2);
  });
});

describe("keys", () => {
  test("do not wait for each other, and one key's work is never under way twice", async () => {
    const { groups, work } = byHand();
    const begun: string[] = [];
    const keyed = new KeyedCoalescer<number, number>({
      ...BOUNDS,
      maxWeight: 100,
      work: (key, items) => (begun.push(`${key}:${items.join()}`), work(items)),
    });
    const answers = [keyed.submit("a", 1), keyed.submit("b", 3)];
    await settled();
    expect(begun).toStrictEqual(["a:1", "b:3"]);
    answers.push(keyed.submit("a", 2), keyed.submit("a", 4));
    await settled();
    expect(begun).toStrictEqual(["a:1", "b:3"]);
    groups[0]?.finish();
    groups[1]?.finish();
    await settled();
    expect(begun).toStrictEqual(["a:1", "b:3", "a:2,4"]);
    groups[2]?.finish();
    expect(await Promise.all(answers)).toStrictEqual([10, 30, 20, 40]);
  });

  test("that are idle leave nothing behind", async () => {
    const keyed = new KeyedCoalescer<number, number>({
      ...BOUNDS,
      maxWeight: 100,
      work: async (_key, items) => items.map((value) => ({ status: "fulfilled", value })),
    });
    for (let n = 0; n < 50; n += 1) await keyed.submit(`account ${n}`, n);
    await settled();
    expect(keyed.size).toBe(0);
  });

  test("used again by whoever was just answered still have one group under way", async () => {
    let underWay = 0;
    let most = 0;
    const keyed = new KeyedCoalescer<number, number>({
      ...BOUNDS,
      maxWeight: 1_000,
      work: async (_key, items) => {
        most = Math.max(most, (underWay += 1));
        await settled();
        underWay -= 1;
        return items.map((value) => ({ status: "fulfilled", value }));
      },
    });
    const writer = async (): Promise<void> => {
      for (let n = 0; n < 50; n += 1) await keyed.submit("a", n);
    };
    await Promise.all(Array.from({ length: 8 }, writer));
    expect(most).toBe(1);
    await settled();
    expect(keyed.size).toBe(0);
  });

  test("share one bound", async () => {
    const { groups, work } = byHand();
    const keyed = new KeyedCoalescer<number, number>({
      ...BOUNDS,
      maxWeight: 2,
      work: (_key, items) => work(items),
    });
    const answers = [keyed.submit("a", 1), keyed.submit("b", 2)];
    await expect(keyed.submit("c", 3)).rejects.toMatchObject({ kind: "unavailable" });
    await settled();
    for (const group of groups) group.finish();
    expect(await Promise.all(answers)).toStrictEqual([10, 20]);
    const after = keyed.submit("c", 3);
    await settled();
    groups[2]?.finish();
    expect(await after).toBe(30);
  });
});
