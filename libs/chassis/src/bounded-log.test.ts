// Guarantee: of any number of lines in a second so many are written, and the next one says how many were not.

import { expect, test } from "vitest";
import { BoundedLog } from "./bounded-log.ts";

test("lines beyond the bound are dropped and counted, in each second anew", () => {
  const lines: object[] = [];
  let now = 500;
  const write = (fields: object) => void lines.push(fields);
  const bounded = new BoundedLog({ info: write, warn: write } as never, {
    linesPerS: 2,
    now: () => now,
  });
  const written = Array.from({ length: 5 }, (_, n) => bounded.write("info", { n }, "refused"));
  expect(written).toEqual([true, true, false, false, false]);
  now += 999;
  expect(bounded.write("warn", { n: 5 }, "refused")).toBe(false);
  now += 1;
  expect(bounded.write("warn", { n: 6 }, "refused")).toBe(true);
  expect(bounded.write("warn", { n: 7 }, "refused")).toBe(true);
  expect(lines).toEqual([{ n: 0 }, { n: 1 }, { n: 6, dropped: 4 }, { n: 7 }]);
});
