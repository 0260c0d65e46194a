// Guarantee: no test fails because the machine was busy: none has an upper bound on what the clock of the
// process says has passed, but those that run alone and those of the long forms.

import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { expect, test } from "vitest";
import { TIMED } from "../tiers/files.ts";

const ITSELF = relative(process.cwd(), import.meta.filename);

/** They compare durations on purpose, in a form of their own. */
const LONG = /^test\/(?:faults|kubernetes|citus|bench)\//;

const PASSED = String.raw`(?:performance|Date)\.now\(\) - [\w.]+`;

/** Names in `text` that hold a time that has passed, and the expression itself. */
function boundsOf(text: string): string[] {
  const names = [...text.matchAll(new RegExp(String.raw`const (\w+) = ${PASSED}`, "g"))].map(
    ([, name]) => String.raw`\b${name}\b`,
  );
  const passed = [PASSED, ...names].join("|");
  const bound = new RegExp(String.raw`expect\([^\n]*(?:${passed})[^\n]*\.toBeLessThan`, "g");
  return text.match(bound) ?? [];
}

test("a bound on what has passed is found", () => {
  expect(boundsOf("expect(performance.now() - started).toBeLessThan(5)")).toHaveLength(1);
  expect(boundsOf("const ms = Date.now() - begun;\nexpect(ms / 2).toBeLessThan(5)")).toHaveLength(
    1,
  );
  expect(boundsOf("expect(performance.now() - started).toBeGreaterThan(5)")).toEqual([]);
});

// The outcome and the order of what happens belong in a test, and a duration in the long form.
test("no test but those of the long forms has one", () => {
  const files = globSync("{libs,services,packages,deploy,test}/**/*.test.ts", {
    exclude: ["**/node_modules", "**/dist"],
  });
  const bounded = files
    .filter((file) => !LONG.test(file) && !TIMED.includes(file) && file !== ITSELF)
    .filter((file) => boundsOf(readFileSync(file, "utf8")).length > 0);
  expect(bounded).toEqual([]);
});
