// Guarantee: large work of any number of accounts leaves the event loop to others when its turn has taken its
// time, whatever its bytes are; accounts take turns; small work does not wait; what fails, fails alone; work
// ends with its client.

import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { inBytes, PIECE_BYTES, TURN_MS, Turns, type Work } from "./turns.ts";

/** A clock by which every piece takes `pieceMs`. */
function turnsOf(pieceMs: number): { readonly turns: Turns; readonly piece: () => void } {
  let now = 0;
  return { turns: new Turns(() => now), piece: () => (now += pieceMs) };
}

test("one piece in each turn of the event loop, and one account after the other", async () => {
  const { piece, turns } = turnsOf(TURN_MS);
  const order: string[] = [];
  function* pieces(name: string, count: number): Work<string> {
    for (let n = 0; n < count; n += 1) {
      order.push(name);
      piece();
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

test.each([
  [TURN_MS, 1],
  [TURN_MS / 4, 4],
  [TURN_MS * 5, 1],
])("pieces of %d ms: %d in a turn", async (pieceMs, inTurn) => {
  const { piece, turns } = turnsOf(pieceMs);
  let done = 0;
  function* pieces(): Work<void> {
    for (; done < 12; yield) {
      done += 1;
      piece();
    }
  }
  const all = turns.run("a", pieces());
  for (let expected = inTurn; expected <= 12; expected += inTurn) {
    expect(done).toBe(expected);
    await turn();
  }
  await all;
});

test("work ends with its client, and its signal is not asked for before", async () => {
  const { piece, turns } = turnsOf(TURN_MS);
  const client = new AbortController();
  let asked = 0;
  const caller = {
    get signal() {
      asked += 1;
      return client.signal;
    },
  };
  let done = 0;
  function* pieces(count: number): Work<void> {
    for (let n = 0; n < count; n += 1) {
      done += 1;
      piece();
      yield;
    }
  }
  await turns.run("a", pieces(0), caller);
  expect(asked).toBe(0);
  const endless = turns.run("a", pieces(1_000), caller);
  await turn();
  client.abort(new Error("gone"));
  await expect(endless).rejects.toThrow("gone");
  expect(done).toBeLessThan(5);
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
  const { piece, turns } = turnsOf(TURN_MS);
  function* failing(): Work<void> {
    piece();
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
