// Guarantee: large work of any number of accounts leaves every turn of the event loop to others after one
// piece; accounts take turns piece by piece; small work does not wait; what fails, fails alone.

import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { inBytes, PIECE_BYTES, Turns, type Work } from "./turns.ts";

test("one piece in each turn of the event loop, and one account after the other", async () => {
  const turns = new Turns();
  const order: string[] = [];
  function* pieces(name: string, count: number): Work<string> {
    for (let n = 0; n < count; n += 1) {
      order.push(name);
      yield;
    }
    return name;
  }
  // Three works of one account, and one of another that came last.
  const all = ["a1", "a2", "a3"].map((name) => turns.run("a", pieces(name, 3)));
  all.push(turns.run("b", pieces("b1", 3)));
  expect(order.splice(0)).toEqual(["a1", "a2", "a3", "b1"]);
  let loops = 0;
  let isDone = false;
  const done = Promise.all(all).then((names) => {
    isDone = true;
    return names;
  });
  while (!isDone) {
    const before = order.length;
    await turn();
    loops += 1;
    expect(order.length - before).toBeLessThanOrEqual(1);
  }
  expect(await done).toEqual(["a1", "a2", "a3", "b1"]);
  expect(order).toEqual(["a1", "b1", "a2", "b1", "a3", "a1", "a2", "a3"]);
  expect(loops).toBeGreaterThanOrEqual(order.length);
});

test("small work runs at once", async () => {
  const turns = new Turns();
  let bytes = 0;
  const small = turns.run(
    "a",
    inBytes([1, 2, 3], (item) => (bytes += item)),
  );
  expect(bytes).toBe(6);
  await small;
});

test("items are worked on in order, in pieces by their bytes", () => {
  const seen: number[] = [];
  const work = inBytes([3, 1, 2], (item, index) => {
    seen.push(item, index);
    return PIECE_BYTES / 2;
  });
  expect([work.next().done, seen.splice(0)]).toEqual([false, [3, 0, 1, 1]]);
  expect([work.next().done, seen.splice(0)]).toEqual([true, [2, 2]]);
});

test("work that throws fails alone", async () => {
  const turns = new Turns();
  function* failing(): Work<void> {
    yield;
    throw new Error("bad event");
  }
  const other = turns.run(
    "b",
    inBytes([1, 2, 3], () => PIECE_BYTES),
  );
  await expect(turns.run("a", failing())).rejects.toThrow("bad event");
  await other;
});
