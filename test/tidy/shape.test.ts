// Guarantee: what a reader can count on in every file: its size, its name, the paragraph that says
// what it is, functions that fit on a screen. Each message tells the file and what to do.

import { expect, test } from "vitest";
import { CODE, FILES, isForTests, type SourceFile } from "./sources.ts";

const MAX_LINES = 300;
const MAX_FUNCTION_LINES = 60;
/** Of serve.ts, which builds a service from top to bottom: a list and no logic. */
const MAX_SERVE_LINES = 120;
const MAX_COMMENT_COLUMNS = 110;
/** The formatter breaks at 100 what can be broken; texts and SQL it leaves whole. */
const MAX_COLUMNS = 140;

const SQL_AND_CODE = FILES.filter(({ path }) => /\.(ts|mjs|sql|proto)$/.test(path));

/** The lines of `file` that `isWrong`, as `path:line`. */
function linesWhere(file: SourceFile, isWrong: (line: string) => boolean): string[] {
  return file.text
    .split("\n")
    .flatMap((line, at) => (isWrong(line) ? `${file.path}:${at + 1}` : []));
}

test("no file has more lines than a reader holds in mind: split it by what its parts are for", () => {
  const long = SQL_AND_CODE.filter(({ text }) => text.split("\n").length - 1 > MAX_LINES);
  expect(long.map(({ path }) => path)).toStrictEqual([]);
});

test("no line runs out of a window: wrap the comment, break the line", () => {
  // A migration never changes, not even in a comment.
  const changeable = SQL_AND_CODE.filter(({ path }) => !path.includes("/migrations/"));
  const isComment = /^\s*(\/\/|\/?\*|--)/;
  const wide = changeable.flatMap((file) =>
    linesWhere(
      file,
      (line) => line.length > (isComment.test(line) ? MAX_COMMENT_COLUMNS : MAX_COLUMNS),
    ),
  );
  expect(wide).toStrictEqual([]);
});

test("no function is longer than a screen: name its parts and take them out", () => {
  const long = CODE.filter(({ path }) => !isForTests(path)).flatMap(longFunctions);
  expect(long).toStrictEqual([]);
});

test("every file name is kebab-case, so that the verb-noun is found by one search", () => {
  const shape =
    /^(\.?[a-z0-9]+(-[a-z0-9]+)*(\.(test|config))?\.(ts|mjs)|\d{4}_[a-z0-9-]+\.sql|[a-z0-9_]+\.(proto|py))$/;
  const named = FILES.filter(({ path }) => /\.(ts|mjs|sql|proto|py)$/.test(path));
  const odd = named.filter(({ path }) => !shape.test(path.split("/").at(-1) ?? ""));
  expect(odd.map(({ path }) => path)).toStrictEqual([]);
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
  const bannedWord = CODE.flatMap((file) => linesWhere(file, (line) => declared.test(line)));
  expect(bannedWord).toStrictEqual([]);
});

/**
 * Functions and methods whose closing brace stands more than the bound below their head: the
 * formatter puts it under the first letter of the head, which is all that this needs to know of the
 * language.
 */
function longFunctions({ path, text }: SourceFile): string[] {
  const lines = text.split("\n");
  const head =
    /^( *)(export |default |async |static |private |get )*(function\b|#?\w+(<.*>)?\(|const \w+ = .*=> \{$)/;
  return lines.flatMap((line, at) => {
    const indent = head.exec(line)?.[1];
    if (indent === undefined || /^\s*(if|for|while|switch|return|describe|test|it)\b/.test(line))
      return [];
    const opens = lines.findIndex((each, index) => index >= at && /[{;]$/.test(each));
    if (opens < 0 || !lines[opens]?.endsWith("{")) return [];
    const ends = lines.findIndex((each, index) => index > opens && each.startsWith(`${indent}}`));
    const most = path.endsWith("/serve.ts") ? MAX_SERVE_LINES : MAX_FUNCTION_LINES;
    return ends - at > most ? [`${path}:${at + 1}`] : [];
  });
}
