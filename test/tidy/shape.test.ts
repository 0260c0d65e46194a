// Guarantee: what a reader can count on in every file and no linter checks: the paragraph that says what it
// is, lines that fit a window, names that say something, a domain without clock and dice. The sizes of files
// and functions, the names of files and the import laws are rules of oxlint.config.ts.

import { expect, test } from "vitest";
import { CODE, FILES, PRODUCT } from "./sources.ts";

const MAX_COMMENT_COLUMNS = 110;
/** The formatter breaks at 100 what can be broken; texts and SQL it leaves as they are. */
const MAX_COLUMNS = 140;

const SQL_AND_CODE = FILES.filter(({ path }) => /\.(ts|mjs|sql|proto)$/.test(path));

/** The lines of the files that `isWrong`, as `path:line`. */
const linesWhere = (files: typeof FILES, isWrong: (line: string) => boolean): string[] =>
  files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) => (isWrong(line) ? `${path}:${at + 1}` : [])),
  );

test("no line runs out of a window: wrap the comment, break the line", () => {
  // A migration never changes, not even in a comment.
  const changeable = SQL_AND_CODE.filter(({ path }) => !path.includes("/migrations/"));
  const isComment = /^\s*(\/\/|\/?\*|--)/;
  const most = (line: string) => (isComment.test(line) ? MAX_COMMENT_COLUMNS : MAX_COLUMNS);
  expect(linesWhere(changeable, (line) => line.length > most(line))).toStrictEqual([]);
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
  const declared =
    /^\s*(export )?(abstract )?(class|interface|type|function|const) (\w*(Utils?|Helpers?|Manager))\b(?!,)/;
  expect(linesWhere(CODE, (line) => declared.test(line))).toStrictEqual([]);
});

test("domain reads no clock and no dice: both come in through parameters", () => {
  const domain = PRODUCT.filter(({ path }) => /^services\/[^/]+\/src\/domain\//.test(path));
  const reads = /Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(/;
  expect(domain.length).toBeGreaterThan(10);
  expect(linesWhere(domain, (line) => reads.test(line))).toStrictEqual([]);
});
