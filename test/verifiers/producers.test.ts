// Guarantee: annals-verify --producers names the numbers of a producer that are missing in a valid export. It
// does not take for missing what a producer dropped before acceptance, what a killed process may not have
// given, or what was stored later than its successors. The real process is run.

import { canonicalJson } from "@annals/event";
import { commandArguments } from "@annals/testing";
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { chainOf, exportOf } from "./made-export.ts";
import { temporaryFile } from "./temporary-file.ts";

interface Numbered {
  readonly id?: string;
  readonly n: number;
  readonly dropped?: number;
  readonly after?: number;
}

/** The exit status, and the lines about producers. */
function run(numbers: readonly Numbered[]): [number | null, string[]] {
  const contexts = numbers.map(({ dropped = 0, id = "billing-1", ...rest }) =>
    canonicalJson({ producer: { dropped, id, ...rest } }),
  );
  const parts = numbers.map(() => ({}));
  const made = chainOf("acct_1", parts, 1, "0".repeat(64), { contexts });
  using file = temporaryFile(exportOf(made));
  const words = [...commandArguments("annals-verify"), "--producers", file.path];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  return [status, stdout.split("\n").filter((line) => line.includes("  producer  "))];
}

test.each<[string, Numbered[], number, string]>([
  ["all are there", [{ n: 1 }, { n: 2 }, { n: 3 }], 0, "3 events, numbers 1 to 3: none is missing"],
  ["some are not", [{ n: 1 }, { n: 2 }, { n: 5 }, { n: 7 }], 1, "3 missing: 3-4, 6"],
  [
    "drops before acceptance leave no gap",
    [{ n: 1 }, { n: 2, dropped: 9 }],
    0,
    "none is missing; it says that it dropped 9 events",
  ],
  [
    "a restart, before which one more number may have been given",
    [{ n: 1 }, { n: 3, after: 1 }],
    0,
    "none is missing",
  ],
  ["a restart after a number that is missing", [{ n: 1 }, { n: 4, after: 2 }], 1, "1 missing: 2"],
  [
    "another order, over several gaps",
    [{ n: 1 }, { n: 3 }, { n: 6 }, { n: 9 }, { n: 5 }, { n: 2 }, { n: 8 }, { n: 3 }],
    1,
    "2 missing: 4, 7; numbers that appear twice: 1",
  ],
  ["another order", [{ n: 1 }, { n: 3 }, { n: 2 }], 0, "none is missing"],
  [
    "a number that appears twice",
    [{ n: 1 }, { n: 2 }, { n: 2 }],
    0,
    "numbers that appear twice: 1",
  ],
])("%s", (_, numbers, status, text) => {
  const [exit, lines] = run(numbers);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"billing-1"');
  expect(lines[0]).toContain(text);
  expect(exit).toBe(status);
});

test("producers are counted apart", () => {
  const [status, lines] = run([{ n: 7 }, { n: 1, id: "web-1" }, { n: 8 }, { n: 3, id: "web-1" }]);
  expect(lines).toEqual([
    '  producer  "billing-1", 2 events, numbers 7 to 8: none is missing',
    '  producer  "web-1", 2 events, numbers 1 to 3: 1 missing: 2',
  ]);
  expect(status).toBe(1);
});
