// Guarantee: what a reader can count on in every file and no linter checks. Nothing is unfinished or
// disabled, nothing speaks of the place where it was written instead of the product, lines fit a window,
// names say something, the words are those that the field uses. oxlint.config.ts has the other rules.

import { describe, expect, test } from "vitest";
import { OWN_WORDS, plain } from "./own-words.ts";
import { CODE, FILES, PRODUCT, type SourceFile } from "../../deploy/generate/sources.ts";

/** This folder names the words that it bans. */
const WRITTEN = FILES.filter(({ path }) => !path.startsWith("test/tidy/"));
const TESTS = CODE.filter(({ path }) => /^(?!test\/tidy\/).*\.test\.ts$/.test(path));
const RULES = PRODUCT.filter(({ path }) => /^services\/[^/]+\/src\/[^/]+\/rules\//.test(path));
const SQL_AND_CODE = FILES.filter(({ path }) => /\.(ts|mjs|sql|proto)$/.test(path));
/** A migration never changes, not even in a comment. */
const CHANGEABLE = SQL_AND_CODE.filter(({ path }) => !path.includes("/migrations/"));
/** Data of others is not ours to word. */
const OURS = WRITTEN.filter(({ path }) => !/^test\/(vectors|example)\/.*\.jsonl?$/.test(path));

/** `path:line: text` of each line of the files in which `pattern` is found. */
function found(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, at) =>
        pattern.test(line) ? `${path}:${at + 1}: ${line.trim().slice(0, 80)}` : [],
      ),
  );
}

test.each<[string, readonly SourceFile[], RegExp]>([
  ["work left to do: do it, or write an issue", WRITTEN, /\b(TODO|FIXME|XXX|HACK)\b/],
  // oxlint refuses the other ways. What needs Python or Go is left out where there is
  // none, and what Citus refuses in a run over Citus.
  [
    "a disabled test",
    TESTS,
    /\b(describe|test|it)\.(skipIf|fails|runIf(?!\((hasPython(310|And(MlDsa|Openssl|Zstd))?|hasGo|hasNode|hasOpenssl|ON_ONE_SERVER)\)))\b/,
  ],
  ["a lint rule disabled without a reason", WRITTEN, /(ox|es)lint-disable(?!.* -- \S)/],
  [
    "a path, host or tool of somebody's machine",
    OURS,
    /(^|[\s"'`(=])\/(work|home\/\w+|Users\/\w+|root)\/|\bbrief\.md\b|registry\.(npmjs|yarnpkg)|npmmirror|artifactory|localhost:48/i,
  ],
  [
    "who wrote it",
    OURS,
    /\b(claude|anthropic|copilot|chatgpt|openai|as an ai)\b|\bhelper session\b/i,
  ],
  [
    "a sleep for a fixed time: wait for a condition",
    TESTS.filter(({ path }) => /^test\/(api|flows|wire)\//.test(path)),
    /await new Promise\(\(?\w*\)? => setTimeout\(\w+, \d{3,}/,
  ],
  ["a comment beyond 110 columns", CHANGEABLE, /^(?=\s*(\/\/|\/?\*|--)).{111}/],
  // The formatter breaks at 100 what can be broken; texts and SQL it leaves as they are.
  ["a line beyond 140 columns", CHANGEABLE, /^.{141}/],
  [
    "a name that says nothing: name it after what it does",
    CODE,
    /^\s*(export )?(abstract )?(class|interface|type|function|const) (\w*(Utils?|Helpers?|Manager))\b(?!,)/,
  ],
  [
    "a clock or dice in rules: both come in through parameters",
    RULES,
    /Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(/,
  ],
])("nowhere: %s", (_, files, pattern) => {
  expect(files.length).toBeGreaterThan(10);
  expect(found(files, pattern)).toStrictEqual([]);
});

test("every file opens with a paragraph: what it is, who calls it, what it must never do", () => {
  // A table of contents of a package says nothing that its names do not.
  const silent = SQL_AND_CODE.filter(
    ({ path, text }) =>
      !path.endsWith("/src/index.ts") && !/^(#!.*\n)?(\/\/|\/\*|--) ?\S/.test(text),
  );
  expect(silent.map(({ path }) => path)).toStrictEqual([]);
});

test("no file or folder has a name that says nothing: name it after what it does", () => {
  const banned = /(^|\/)(utils?|helpers?|common|managers?|misc|shared)(\/|\.)/;
  expect(FILES.filter(({ path }) => banned.test(path)).map(({ path }) => path)).toStrictEqual([]);
});

/** Texts of others, the list itself with its test, and a page whose source is checked instead. */
const NOT_OURS =
  /^(test\/(vectors\/|example\/.*\.json|tidy\/(own-words|words\.test)\.ts$)|docs\/performance\/last-run\.md$)/;

/** Without migrations, which never change, and names of old ADRs; each with its path as a line. */
const NOW = FILES.filter(({ path }) => !NOT_OURS.test(path) && !path.includes("/migrations/")).map(
  ({ path, text }) => ({
    path,
    text: plain(`${path}\n${text.replaceAll(/\badr\/\d{4}-[a-z0-9-]+\.md/g, "")}`),
  }),
);

describe("the field's words, not our own", () => {
  test.each(Object.entries(OWN_WORDS))("nowhere `%s`: write %s", (words, _write) => {
    const pattern = new RegExp(`\\b(${words})\\b`);
    expect(found(NOW, pattern)).toStrictEqual([]);
  });

  const refused = new RegExp(`\\b(${Object.keys(OWN_WORDS).join("|")})\\b`);

  const REFUSED = `all lanesTaken, carry-calls-client, inWireForm, HeadGuesses, gives a statement up,
    told to go, SwitchOff, the poison took, ErrorsOfOurs, EventLoopHeld, ForEver, ended-sessions.test.ts,
    a thread for each processor, 50 unless told, fanOut.look(),
    is not read any more, the release before, a machine of yours`;
  const FINE = `planes, calls that carry a message, wire format, key guessing, made up of parts, offset,
    is asked to go on, looks up a row, nobody is told to retry, by lots of, a poison message, switch of,
    poison-message.test.ts, const poison =, the Connect processor, unless it is set, turns of the event loop,
    many more, release-before.test.ts, yours`;

  test.each(REFUSED.split(/,\s+/))("%s is refused", (text) => {
    expect(plain(text)).toMatch(refused);
  });

  test.each(FINE.split(/,\s+/))("%s is not", (text) => {
    expect(plain(text)).not.toMatch(refused);
  });
});
