// Guarantees: an item that arrives while a group is in flight goes with a later group. Groups and the queue
// are bounded. A failure reaches the items it belongs to and no others. Keys do not wait for each other, and
// an idle key uses no memory. Group sizes, waits and refusals are reported.

import { AnnalsError } from "@annals/errors";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Batcher, type BatcherOptions, KeyedBatcher } from "./batcher.ts";

interface Group {
  readonly items: readonly number[];
  /** Ends the group's work: each item's result is its tenfold. */
  finish(): void;
  fail(error: Error): void;
}

/** Work that the test finishes itself, and the groups started so far. */
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

const BOUNDS: Omit<BatcherOptions<number, number>, "work"> = {
  name: "test",
  maxGroup: 3,
  concurrency: 1,
  maxWaiting: 100,
};

/** Until every callback that is due has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("groups", () => {
  test("items of one turn of the event loop form one group, at its end", async () => {
    const { groups, work, begun } = byHand();
    const batcher = new Batcher({ ...BOUNDS, work });
    const answers = [batcher.submit(1), batcher.submit(2)];
    await Promise.resolve();
    answers.push(batcher.submit(3));
    expect(begun()).toStrictEqual([]);
    await settled();
    expect(begun()).toStrictEqual([[1, 2, 3]]);
    groups[0]?.finish();
    expect(await Promise.all(answers)).toStrictEqual([10, 20, 30]);
  });

  test("items that arrive while a group is in flight wait for the next group", async () => {
    const { groups, work, begun } = byHand();
    const batcher = new Batcher({ ...BOUNDS, work });
    const first = batcher.submit(1);
    await settled();
    expect(begun()).toStrictEqual([[1]]);
    const others = [batcher.submit(2), batcher.submit(3)];
    await settled();
    expect(begun()).toStrictEqual([[1]]);
    groups[0]?.finish();
    expect(await first).toBe(10);
    await settled();
    expect(begun()).toStrictEqual([[1], [2, 3]]);
    const late = batcher.submit(4);
    groups[1]?.finish();
    expect(await Promise.all(others)).toStrictEqual([20, 30]);
    await settled();
    expect(begun()).toStrictEqual([[1], [2, 3], [4]]);
    groups[2]?.finish();
    expect(await late).toBe(40);
    expect(batcher.idle).toBe(true);
  });

  test("a group that gathers takes what arrives before its time is over, also after another", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { groups, work, begun } = byHand();
    const batcher = new Batcher({ ...BOUNDS, gatherMs: 20, work });
    for (const at of [0, 1]) {
      void batcher.submit(1);
      groups[at - 1]?.finish();
      await settled();
      vi.advanceTimersByTime(19);
      void batcher.submit(2);
      await settled();
      expect(begun()).toHaveLength(at);
      vi.advanceTimersByTime(1);
      expect(begun()[at]).toStrictEqual([1, 2]);
    }
  });

  test("an item submitted by the very work of a group does not join it", async () => {
    const begun: number[][] = [];
    let inner: Promise<number> | undefined;
    const batcher: Batcher<number, number> = new Batcher({
      ...BOUNDS,
      work: async (items) => {
        begun.push([...items]);
        inner ??= batcher.submit(2);
        return items.map((item) => ({ status: "fulfilled", value: item }));
      },
    });
    expect(await batcher.submit(1)).toBe(1);
    expect(await inner).toBe(2);
    expect(begun).toStrictEqual([[1], [2]]);
  });

  test("no group is larger than its bound, by weight, except one item that alone is", async () => {
    const { groups, work, begun } = byHand();
    const batcher = new Batcher({ ...BOUNDS, work, weigh: (item) => item });
    const answers = [1, 2, 1, 1, 9, 1].map((item) => batcher.submit(item));
    for (let n = 0; n < 4; n += 1) {
      await settled();
      groups[n]?.finish();
    }
    expect(begun()).toStrictEqual([[1, 2], [1, 1], [9], [1]]);
    expect(await Promise.all(answers)).toStrictEqual([10, 20, 10, 10, 90, 10]);
  });

  test("as many groups are in flight as the concurrency allows, and no more", async () => {
    const { groups, work, begun } = byHand();
    const batcher = new Batcher({ ...BOUNDS, concurrency: 2, work });
    const answers = [batcher.submit(1)];
    await settled();
    answers.push(batcher.submit(2));
    await settled();
    answers.push(batcher.submit(3), batcher.submit(4));
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
  test("is refused at once as unavailable, and does not affect the queue", async () => {
    const { groups, work } = byHand();
    const batcher = new Batcher({ ...BOUNDS, maxWaiting: 2, work });
    const kept = [batcher.submit(1)];
    await settled();
    kept.push(batcher.submit(2), batcher.submit(3));
    await expect(batcher.submit(4)).rejects.toMatchObject({ kind: "unavailable" });
    groups[0]?.finish();
    await settled();
    const again = batcher.submit(5);
    groups[1]?.finish();
    await settled();
    groups[2]?.finish();
    expect(await Promise.all([...kept, again])).toStrictEqual([10, 20, 30, 50]);
  });

  test("is not a single item above the bound while nothing waits", async () => {
    const { groups, work } = byHand();
    const batcher = new Batcher({ ...BOUNDS, maxWaiting: 2, work, weigh: (item) => item });
    const answer = batcher.submit(7);
    await settled();
    groups[0]?.finish();
    expect(await answer).toBe(70);
  });
});

describe("failures", () => {
  test("of a group reach all of it, and the next group continues", async () => {
    const { groups, work } = byHand();
    const batcher = new Batcher({ ...BOUNDS, work });
    const answers = Promise.allSettled([1, 2].map((item) => batcher.submit(item)));
    await settled();
    const after = batcher.submit(3);
    groups[0]?.fail(new Error("lost"));
    await settled();
    groups[1]?.finish();
    const outcomes = (await answers).map(({ status }) => status);
    expect(outcomes).toStrictEqual(["rejected", "rejected"]);
    expect(await after).toBe(30);
  });

  test("of one item reach that item only; a result too few is a failure", async () => {
    const batcher = new Batcher<number, number>({
      ...BOUNDS,
      maxGroup: 1,
      work: async ([item]) =>
        item === 1 ? [] : [{ status: "rejected", reason: new AnnalsError("invalid", "No.") }],
    });
    const [none, refused] = await Promise.allSettled([1, 2].map((item) => batcher.submit(item)));
    expect(none).toMatchObject({ reason: { message: expect.stringContaining("gave no result") } });
    expect(refused).toMatchObject({ reason: { kind: "invalid" } });
  });

  test("thrown synchronously do not block the concurrency slot", async () => {
    let calls = 0;
    const batcher = new Batcher<number, number>({
      ...BOUNDS,
      work: (items) => {
        if ((calls += 1) === 1) throw new Error("at once");
        return Promise.resolve(items.map((value) => ({ status: "fulfilled", value })));
      },
    });
    await expect(batcher.submit(1)).rejects.toThrow("at once");
    expect(await batcher.submit(2)).toBe(2);
  });
});

describe("keys", () => {
  test("do not wait for each other, and one key's work is never in flight twice", async () => {
    const { groups, work } = byHand();
    const begun: string[] = [];
    const keyed = new KeyedBatcher<number, number>({
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

  test("that are idle use no memory", async () => {
    const keyed = new KeyedBatcher<number, number>({
      ...BOUNDS,
      maxWeight: 100,
      work: async (_key, items) => items.map((value) => ({ status: "fulfilled", value })),
    });
    for (let n = 0; n < 50; n += 1) await keyed.submit(`account ${n}`, n);
    await settled();
    expect(keyed.size).toBe(0);
  });

  test("submitted to again from a result still have one group in flight", async () => {
    let underWay = 0;
    let most = 0;
    const keyed = new KeyedBatcher<number, number>({
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
    const keyed = new KeyedBatcher<number, number>({
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

test("metrics see each group's size and longest wait, and each refusal", async () => {
  const started: [items: number, isWaitPositive: boolean][] = [];
  let refused = 0;
  const metrics = {
    started: (items: number, waitSeconds: number) => void started.push([items, waitSeconds > 0]),
    refused: () => (refused += 1),
  };
  const { groups, work } = byHand();
  const batcher = new Batcher({ ...BOUNDS, maxWaiting: 2, metrics, work });
  const answers = [batcher.submit(1), batcher.submit(2)];
  await expect(batcher.submit(3)).rejects.toMatchObject({ kind: "unavailable" });
  await settled();
  groups[0]?.finish();
  await Promise.all(answers);
  expect(started).toStrictEqual([[2, true]]);
  expect(refused).toBe(1);
});
