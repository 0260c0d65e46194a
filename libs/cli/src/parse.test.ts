// Guarantee: the first fault of a command line is one sentence that names the option or the argument and says
// what to do, above the usage. It shows no character that controls a terminal. A value that was not given is
// undefined, false or an empty list.

import { expect, test } from "vitest";
import { UsageError } from "./exit.ts";
import { flag, option, repeatedOption, requiredOption } from "./options.ts";
import { parseArguments } from "./parse.ts";

const upTo9 = (text: string): number => {
  if (!/^\d$/.test(text)) throw new Error("must be a digit");
  return Number(text);
};

const DECLARATION = {
  name: "shop sell",
  summary: "Sell something",
  options: {
    account: requiredOption("<id>", "Who buys"),
    size: option("<n>", "How many", upTo9),
    tag: repeatedOption("<tag>", "A tag", (text) => text),
    json: flag("Print JSON"),
  },
  positionals: ["file"],
} as const;
const USAGE =
  "Usage: annals shop sell --account <id> [--size <n>] [--tag <tag>]... [--json] <file>";

const parse = (...args: string[]) => parseArguments(DECLARATION, args);

test("values of every kind, in any order", () => {
  const args = ["--tag", "a", "f.txt", "--json", "--size=7", "--tag", "b", "--account", "x"];
  expect(parse(...args)).toStrictEqual({
    account: "x",
    size: 7,
    tag: ["a", "b"],
    json: true,
    file: "f.txt",
  });
});

test("what is not given is undefined, false or an empty list", () => {
  const none = { size: undefined, tag: [], json: false };
  expect(parse("--account", "x", "f")).toStrictEqual({ account: "x", file: "f", ...none });
});

test("the last value of an option counts", () => {
  expect(parse("--account", "x", "--account", "y", "f")).toMatchObject({ account: "y" });
});

test("a value may begin with - after =, be a lone -, or be blank where it is not required", () => {
  expect(parse("--account=-x", "--tag", "-", "--tag", "", "f")).toMatchObject({
    account: "-x",
    tag: ["-", ""],
  });
});

test("after -- everything is an argument", () => {
  expect(parse("--account", "x", "--", "--json")).toMatchObject({ json: false, file: "--json" });
});

test.each([
  [[], "--account is required"],
  [["--account", " ", "f"], "--account is required"],
  [["--account="], "--account is required"],
  [["--account"], "--account requires a value: --account <id>"],
  [
    ["--account", "--json", "f"],
    '--account requires a value: write --account=<id> for one that begins with "-"',
  ],
  [["--json=yes"], "--json does not take a value"],
  [["--account", "x", "--size", "10", "f"], "--size: must be a digit"],
  [["--account", "x", "--size", "", "f"], "--size: must be a digit"],
  [["--acount", "x"], 'unknown option "--acount"; did you mean --account?'],
  [["--jn"], 'unknown option "--jn"'],
  [["--colour", "red"], 'unknown option "--colour"'],
  [["--constructor"], 'unknown option "--constructor"'],
  [["--__proto__"], 'unknown option "--__proto__"'],
  [["-x"], 'unknown option "-x"'],
  [["--\u001B[2J"], String.raw`unknown option "--\u001b[2J"`],
  [["--account", "x"], "<file> is required"],
  [["--account", "x", "f", "g"], 'unexpected argument "g"'],
  [["--account", "x", "f", "\u202E"], String.raw`unexpected argument "\u202e"`],
])("%j is refused", (args, message) => {
  expect(() => parse(...args)).toThrow(new UsageError(`${message}\n${USAGE}`));
});

test("a name is suggested if at most half of its characters differ", () => {
  const withName = (name: string) => () => parse(name);
  expect(withName("--tac")).toThrow("did you mean --tag?");
  expect(withName("--txx")).not.toThrow("did you mean");
});
