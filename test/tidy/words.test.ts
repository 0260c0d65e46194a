// Guarantee: nothing in the checkout is unfinished or disabled, nothing speaks of the place where it
// was written instead of the product, and the words are those that the field uses.

import { describe, expect, test } from "vitest";
import { CODE, FILES, type SourceFile } from "./sources.ts";
import { OWN_WORDS } from "./own-words.ts";

/** This folder names the words that it bans. */
const WRITTEN = FILES.filter(({ path }) => !path.startsWith("test/tidy/"));

/** `path:line: text` of each line of the files that matches. */
function found(files: readonly SourceFile[], pattern: RegExp): string[] {
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

test("no test is disabled or alone, except what needs Python", () => {
  const tests = CODE.filter(
    ({ path }) => path.endsWith(".test.ts") && !path.startsWith("test/tidy/"),
  );
  const off =
    /\b(describe|test|it)(\.\w+)*\.(only|skip|todo|skipIf|runIf(?!\(hasPython\))|fails)\b|\b(xit|xtest|xdescribe|fit)\(/;
  expect(found(tests, off)).toStrictEqual([]);
});

test("no lint rule is disabled without a reason", () => {
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

/** Never edited: decisions, applied migrations, what earlier releases and measurements were called. */
const HISTORY = new RegExp(
  [
    "^docs/adr/00(0\\d|1[0-2])-",
    "^docs/performance/",
    "^CHANGELOG\\.md$",
    "/migrations/(0001_.*|0002_(account-plan|outbox-and-month|early-vacuum)|0003_time-blocks|0004_early-analyze)\\.sql$",
  ].join("|"),
);

/** Texts of others, and the list itself with its test. */
const NOT_OURS = /^test\/(vectors\/|example\/.*\.json|tidy\/(own-words|words\.test)\.ts$)/;

const isDocument = ({ path }: SourceFile) => /^([A-Z]+|docs\/.*)\.md$/.test(path);

const NOW = FILES.filter(({ path }) => !HISTORY.test(path) && !NOT_OURS.test(path));

/** Without the tables that the benchmark writes, whose source is checked instead, and names of old ADRs. */
const DOCUMENTS = NOW.filter(isDocument).map(({ path, text }) => ({
  path,
  text: text
    .replace(/<!-- bench:begin -->[^]*<!-- bench:end -->/, "")
    .replaceAll(/\badr\/\d{4}-[a-z0-9-]+\.md/g, ""),
}));

/** `path:line: text`, and the word to write, of each line with a word of our own; also of paths. */
function ownWords(files: readonly SourceFile[]): string[] {
  return OWN_WORDS.flatMap(({ found: pattern, write }) => {
    const paths = files.filter(({ path }) => pattern.test(path)).map(({ path }) => path);
    return [...paths, ...found(files, pattern)].map((place) => `${place} -> ${write}`);
  });
}

describe("the field's words, not our own", () => {
  test("in the documents", () => {
    expect(ownWords(DOCUMENTS)).toStrictEqual([]);
    expect(DOCUMENTS.length).toBeGreaterThan(15);
  });

  test("in the code, its tests and its deployment", () => {
    const code = NOW.filter((file) => !isDocument(file));
    expect(ownWords(code)).toStrictEqual([]);
  });

  test.each(OWN_WORDS)("$example is refused: write $write", ({ example, fine, found: pattern }) => {
    expect(example).toMatch(pattern);
    for (const text of fine ?? []) expect(text).not.toMatch(pattern);
  });
});
