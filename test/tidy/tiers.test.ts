// Guarantee: each test file belongs to one tier: to the checks, `npm test`, the outages, the fault tests,
// or a suite that needs what not every machine has; and what test/tiers/files.ts names exists.

import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALONE, OUTAGES, TIMED } from "../tiers/files.ts";

const ROOT = join(import.meta.dirname, "../..");

const files = globSync("{libs,services,packages,deploy,test}/**/*.test.ts", { cwd: ROOT }).filter(
  (path) => !/(^|\/)(node_modules|dist)\//u.test(path),
);

/** Patterns of the vitest configs, beside those of the outages. */
const TIERS = {
  checks: /^test\/(chart|tidy)\//u,
  tests:
    /^(libs|services|deploy\/(local|release))\/|^test\/(api|browser|command|flows|sdk|system|verifiers|wire)\//u,
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
  const named = [...OUTAGES, ...ALONE];
  expect(named.filter((file) => !files.includes(file))).toStrictEqual([]);
  expect(named.filter((file, at) => named.indexOf(file) !== at)).toStrictEqual([]);
  expect(named.filter((file) => !TIERS.tests.test(file))).toStrictEqual([]);
  expect(TIMED.filter((file) => !OUTAGES.includes(file))).toStrictEqual([]);
});
