// Guarantee: nothing in the checkout is unfinished, switched off, or speaks of the place where it
// was written instead of the product.

import { expect, test } from "vitest";
import { CODE, FILES } from "./sources.ts";

/** This folder names the words that it bans. */
const WRITTEN = FILES.filter(({ path }) => !path.startsWith("test/tidy/"));

/** `path:line: text` of each line of the files that matches. */
function found(files: typeof FILES, pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, at) =>
        pattern.test(line) ? `${path}:${at + 1}: ${line.trim().slice(0, 80)}` : [],
      ),
  );
}

test("nothing is left to do: do it, or write an issue", () => {
  expect(found(WRITTEN, /\b(TODO|FIXME|XXX|HACK)\b/)).toStrictEqual([]);
});

test("no test is switched off or alone, but for what needs Python", () => {
  const tests = CODE.filter(
    ({ path }) => path.endsWith(".test.ts") && !path.startsWith("test/tidy/"),
  );
  const off =
    /\b(describe|test|it)(\.\w+)*\.(only|skip|todo|skipIf|runIf(?!\(hasPython\))|fails)\b|\b(xit|xtest|xdescribe|fit)\(/;
  expect(found(tests, off)).toStrictEqual([]);
});

test("no lint rule is switched off without saying why", () => {
  expect(found(WRITTEN, /(ox|es)lint-disable(?!.* -- \S)/)).toStrictEqual([]);
  expect(found(WRITTEN, /@ts-(ignore|nocheck|expect-error)\b/)).toStrictEqual([]);
});

test("no file speaks of the place where it was written: paths, hosts, tools of somebody's machine", () => {
  // Data of others and the lockfile are left out; they are not ours to word.
  const ours = WRITTEN.filter(
    ({ path }) => !/^(test\/(vectors|example)\/.*\.json|.*\.jsonl$)/.test(path),
  );
  const places =
    /(^|[\s"'`(=])\/(work|home\/\w+|Users\/\w+|root)\/|\bbrief\.md\b|registry\.(npmjs|yarnpkg)|npmmirror|artifactory|localhost:48/i;
  expect(found(ours, places)).toStrictEqual([]);
  expect(
    found(ours, /\b(claude|anthropic|copilot|chatgpt|openai|as an ai)\b|\bhelper session\b/i),
  ).toStrictEqual([]);
});

test("no test sleeps for a fixed time where it could wait for a condition", () => {
  const tests = CODE.filter(
    ({ path }) => /^test\/(api|flows|wire)\//.test(path) && path.endsWith(".test.ts"),
  );
  expect(found(tests, /await new Promise\(\(?\w*\)? => setTimeout\(\w+, \d{3,}/)).toStrictEqual([]);
});
