// Guarantee: no item takes longer than the deadline, however many groups were before it: one whose time is
// over is refused when its turn comes, unsent, and work is told the time that the oldest of a group has left.

import { expect, onTestFinished, test, vi } from "vitest";
import { KeyedBatcher } from "./batcher.ts";

const DEADLINE_MS = 10_000;

/** Until every callback that is due has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("an item that waited for its whole time is refused, and later ones get what is left", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const begun: { readonly items: readonly number[]; readonly timeLeftMs: number }[] = [];
  const finish: (() => void)[] = [];
  const batcher = new KeyedBatcher<number, number>({
    name: "test",
    work: (_key, items, _weight, timeLeftMs) => {
      begun.push({ items, timeLeftMs });
      const results = items.map((value) => ({ status: "fulfilled" as const, value }));
      return new Promise((resolve) => finish.push(() => resolve(results)));
    },
    maxGroup: 3,
    concurrency: 1,
    maxWaiting: 3,
    maxWeight: 4,
    deadlineMs: DEADLINE_MS,
  });
  const submit = (item: number) => batcher.submit("a", item);
  const first = submit(1);
  await settled();
  const late = [submit(2), submit(3)];
  vi.advanceTimersByTime(2_000);
  const inTime = submit(4);
  vi.advanceTimersByTime(8_000);
  finish[0]?.();
  for (const refused of late) await expect(refused).rejects.toMatchObject({ kind: "unavailable" });
  // What was refused no longer takes room.
  const hardly = submit(5);
  vi.advanceTimersByTime(DEADLINE_MS - 1);
  finish[1]?.();
  await settled();
  finish[2]?.();
  expect(await Promise.all([first, inTime, hardly])).toStrictEqual([1, 4, 5]);
  expect(begun).toStrictEqual([
    { items: [1], timeLeftMs: DEADLINE_MS },
    { items: [4], timeLeftMs: 2_000 },
    { items: [5], timeLeftMs: 1_000 },
  ]);
  expect(batcher.size).toBe(0);
});
