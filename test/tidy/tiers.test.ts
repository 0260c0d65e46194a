// Guarantee: a tier or a file that uses far more CPU than its budget is named, and few files may be run
// again. Each test file belongs to one tier: to the checks, `npm test`, the outages, the fault tests, or a
// suite that needs what not every machine has; and what test/tiers/files.ts names exists. The slices of
// outages and faults cover all of their files.

import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { overBudget } from "../tiers/budget.ts";
import { ALONE, API_ON_SHARED, OUTAGES, TIMED } from "../tiers/files.ts";
import { FAULT_SLICES, OUTAGE_SLICES, partOf } from "../tiers/slices.ts";
import { Tally } from "../tiers/tally.ts";

const ROOT = join(import.meta.dirname, "../..");

const files = globSync("{libs,services,packages,deploy,test}/**/*.test.ts", { cwd: ROOT }).filter(
  (path) => !/(^|\/)(node_modules|dist)\//u.test(path),
);

/** Patterns of the vitest configs, beside those of the outages. */
const TIERS = {
  checks: /^test\/(chart|tidy)\//u,
  tests:
    /^(libs|services|deploy\/(local|release))\/|^test\/(api|browser|clients|command|flows|sdk|system|verifiers|wire)\//u,
  faults: /^test\/faults\//u,
  // Each has a command of its own.
  elsewhere: /^test\/(citus|kubernetes|runtimes)\//u,
};

test("each file belongs to one tier", () => {
  const tiersOf = (file: string) => Object.values(TIERS).filter((pattern) => pattern.test(file));
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => tiersOf(file).length !== 1)).toStrictEqual([]);
});

test("the named files exist, once, and what is timed is an outage", () => {
  const named = [...OUTAGES, ...ALONE, ...API_ON_SHARED];
  expect(named.filter((file) => !files.includes(file))).toStrictEqual([]);
  expect(named.filter((file, at) => named.indexOf(file) !== at)).toStrictEqual([]);
  expect(named.filter((file) => !TIERS.tests.test(file))).toStrictEqual([]);
  expect(TIMED.filter((file) => !OUTAGES.includes(file))).toStrictEqual([]);
});

describe("the CPU of a tier", () => {
  const budget = { tiers: { tests: 100 }, file: 3, files: { "dear.test.ts": 10 } };
  const run = (units: number, file: string, used: number) => ({
    units,
    unitS: 1,
    files: [{ file, project: "unit", units: used }],
  });

  test.each([
    ["within", run(160, "dear.test.ts", 30), []],
    ["over in sum", run(161, "cheap.test.ts", 9), [/tier tests used 161\.0/u]],
    ["over in a file with a line", run(1, "dear.test.ts", 31), [/dear\.test\.ts used 31/u]],
    ["over in one without", run(1, "new.test.ts", 9.1), [/new\.test\.ts used 9\.1/u]],
  ])("is %s", (_, measured, expected) => {
    const over = overBudget("tests", measured, budget);
    expect(over).toEqual(expected.map((text) => expect.stringMatching(text)));
  });
});

describe.each([
  ["outages", OUTAGE_SLICES, "services/keys/src/admissions/store/admit-requests.ts", "log-key"],
  [
    "faults",
    FAULT_SLICES,
    "services/keys/src/admissions/store/admit-requests.ts",
    "hostile-admission",
  ],
])("the slices of the %s", (_, tier, changed, due) => {
  const { areas, core, files: all, slices } = tier;
  const each = (paths: readonly string[]) =>
    Array.from({ length: slices }, (_unused, slice) => partOf(tier, paths, slice));
  const named = (names: readonly string[]) =>
    names.map((name) => expect.stringMatching(`/${name}\\.test\\.ts$`));

  test("have each file, and the core each time", () => {
    expect(new Set(each([]).flat())).toEqual(new Set(all));
    for (const part of each([])) {
      expect(part).toEqual(expect.arrayContaining(named(core)));
      expect(part.length).toBeLessThan(all.length / 2);
    }
  });

  test("name files that exist", () => {
    expect(all).toEqual(expect.arrayContaining(named(areas.flatMap(([, names]) => names))));
  });

  test("have the files of a changed area, and a changed file", () => {
    const [own = ""] = each([])[0]?.filter((file) => !each([])[1]?.includes(file)) ?? [];
    for (const part of each([changed, own]))
      expect(part).toEqual(expect.arrayContaining([own, ...named([due])]));
    // What only tests use is in no area.
    expect(each(["services/keys/src/testing/a.ts"])).toEqual(each([]));
  });
});

test("three files may be run again, and no fourth", () => {
  const tally = new Tally();
  expect(tally.mayRunAgain(["a", "b", "c", "d"])).toBe(false);
  expect(tally.mayRunAgain(["a", "b"])).toBe(true);
  tally.ranAgain("a", "");
  tally.ranAgain("b", "");
  expect(tally.mayRunAgain(["c"])).toBe(true);
  expect(tally.mayRunAgain(["c", "d"])).toBe(false);
});
