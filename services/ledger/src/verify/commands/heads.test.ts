// Guarantees: `heads` prints the head of every chain; `check-heads` names each chain that went back, is
// missing or has another event in the place of its head, and ends with 1; chains that only grew, or whose
// tile still has the hash of a deleted event, are fine; a file that cannot be used is refused with the line
// and the member, and ends with 2.

import { type TestDatabase } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import { readHeads } from "../rules/kept-heads.ts";
import { newLedgerDatabase } from "../../testing/database.ts";

const folder = await mkdtemp(join(tmpdir(), "annals-heads-"));
afterAll(() => rm(folder, { recursive: true }));

const hashOf = (digit: string) => digit.repeat(64);
let database: TestDatabase;

const run = (...words: string[]) => runCommand(database.url, words);

/** A chain whose events have these hashes. */
async function chain(accountId: string, ...digits: string[]): Promise<void> {
  for (const [at, digit] of digits.entries()) {
    await database.query(
      `INSERT INTO ledger.events VALUES ($1, $2, $3, 'a', '', '', '', decode(repeat('00', 160), 'hex'),
         decode($4, 'hex'), decode($5, 'hex'), '{}', '{}', '{}', '{}', '{}', decode(repeat('00', 80), 'hex'))`,
      [accountId, at + 1, `evt_${at}`, hashOf(digits[at - 1] ?? "0"), hashOf(digit)],
    );
  }
  await database.query("INSERT INTO ledger.heads VALUES ($1, $2, decode($3, 'hex'))", [
    accountId,
    digits.length,
    hashOf(digits.at(-1) ?? "0"),
  ]);
}

async function check(text: string) {
  const file = join(folder, "heads.jsonl");
  await writeFile(file, text);
  return run("check-heads", "--file", file);
}

beforeEach(async () => {
  database = await newLedgerDatabase();
  await chain("acct_1", "a", "b", "c");
  await chain("acct_2", "d");
  await chain("acct_empty");
});

const line = (accountId: string, sequenceNumber: number, digit: string) =>
  `{"account_id":"${accountId}","sequence_number":${sequenceNumber},"hash":"${hashOf(digit)}"}\n`;

test("heads prints every chain that has an event, and check-heads finds them all", async () => {
  const printed = await run("heads");
  expect(printed).toEqual({
    status: 0,
    stdout: line("acct_1", 3, "c") + line("acct_2", 1, "d"),
    stderr: "",
  });
  expect(await check(printed.stdout)).toMatchObject({
    status: 0,
    stdout: "all 2 chains contain their saved heads\n",
  });
});

test("more chains than one page", async () => {
  await database.query(
    `INSERT INTO ledger.heads SELECT 'acct_page_' || n, 1, decode(repeat('00', 32), 'hex') FROM generate_series(1, 2100) n`,
  );
  const { stdout } = await run("heads");
  expect(new Set(stdout.trimEnd().split("\n")).size).toBe(2_102);
});

test("a chain that grew contains its kept head", async () => {
  expect(await check(line("acct_1", 2, "b"))).toMatchObject({ status: 0 });
});

test("a chain that went back, one that is missing and one that differs are named", async () => {
  const kept = [line("acct_1", 5, "e"), line("acct_2", 1, "f"), line("acct_3", 7, "a")];
  expect(await check([...kept, line("acct_1", 1, "a")].join("\n"))).toMatchObject({
    status: 1,
    stdout: [
      "acct_1 went back: its chain had 5 events and ends at 3",
      `acct_2 differs: its event 1 has the hash ${hashOf("d")}, and had ${hashOf("f")}`,
      "acct_3 is missing: its chain had 7 events",
      "3 of 4 chains do not contain their saved heads\n",
    ].join("\n"),
  });
});

/** The first full tile of a chain's tree: `digit` is in the hash of each of its 256 events. */
const tile = (accountId: string, digit: string) =>
  database.query(
    `INSERT INTO ledger.tiles VALUES
       ($1, 0, 0, decode(repeat('00', 32), 'hex'), decode(repeat($2, 64 * 256 - 64) || repeat('f', 64), 'hex'))`,
    [accountId, digit],
  );

test("the hash of an event that is deleted comes from its tile", async () => {
  await chain("acct_long", ...Array.from({ length: 300 }, (_, at) => "abcd".charAt(at % 4)));
  await tile("acct_long", "e");
  await tile("acct_1", "e");
  await database.query(
    "DELETE FROM ledger.events WHERE account_id = 'acct_long' AND sequence_number NOT IN (257, 300)",
  );
  const kept = [1, 255].map((number) => line("acct_long", number, "e"));
  const rest = [line("acct_long", 256, "f"), line("acct_long", 257, "a")];
  expect(await check([...kept, ...rest].join(""))).toMatchObject({ status: 0 });
  const other = [line("acct_long", 255, "f"), line("acct_long", 258, "b"), line("acct_1", 4, "e")];
  expect(await check(other.join(""))).toMatchObject({
    status: 1,
    stdout: [
      `acct_long differs: its event 255 has the hash ${hashOf("e")}, and had ${hashOf("f")}`,
      "acct_long lacks its event 258, and ends at 300",
      "acct_1 went back: its chain had 4 events and ends at 3",
      "3 of 3 chains do not contain their saved heads\n",
    ].join("\n"),
  });
});

test.each([
  ["[", "line 1 is not a JSON object"],
  [`${line("a", 1, "a")}\n7`, "line 3 is not a JSON object"],
  ['{"sequence_number":1}', "line 1: account_id must be a string"],
  ['{"account_id":"a","sequence_number":0}', "line 1: sequence_number must be a positive"],
  ['{"account_id":"a","sequence_number":1,"hash":"x"}', "line 1: hash must be 64"],
])("a file that is refused: %j", (text, expected) => {
  expect(() => readHeads(text)).toThrow(expected);
});

test.each<[{ file?: string; words?: string[] }, RegExp]>([
  [{ file: "7" }, /: line 1 is not a JSON object/],
  [{ file: "" }, /: the file contains no head/],
  [{ words: ["check-heads"] }, /^--file is required\nUsage: annals check-heads --file <file>\n$/],
  [{ words: ["check-heads", "--file", "/absent"] }, /^\/absent: ENOENT/],
  [{ words: ["heads", "more"] }, /^unexpected argument "more"\nUsage: annals heads\n$/],
])("refused with 2: %j", async ({ file, words = [] }, expected) => {
  const { status, stdout, stderr } = await (file === undefined ? run(...words) : check(file));
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(expected);
});
