// Guarantee: every statement that the comparison over Citus runs has a case, in which each boolean is both
// true and false, and each parameter that may be null is null, and is not.

import { expect, test } from "vitest";
import { CASES, NOT_COMPARED } from "../citus/cases/all.ts";
import { coverageFaults } from "../citus/coverage.ts";
import { findNullable, type Nullable } from "../citus/nullable.ts";
import { runsOf } from "../citus/parameters.ts";
import { worldOf } from "../citus/subjects.ts";
import { collectStatements } from "../system/all-statements.ts";

const SHARDS = 4;
const WORKERS = 2;

const { subjects } = worldOf(
  Array.from({ length: SHARDS * 2 }, (_, index) => ({
    id: `acct_${index}`,
    shard: String(index % SHARDS),
    port: index % WORKERS,
  })),
);
/** The tables of keys are never distributed. */
const STATEMENTS = [...(await collectStatements()).values()].filter(
  ({ name }) => !name.startsWith("keys."),
);
const nullableOf = findNullable();

test.for(STATEMENTS.map((each) => [each.name, each] as const))("%s", ([name, statement]) => {
  const nullable = nullableOf(name);
  const runs = runsOf(statement, CASES[name] ?? [], { nullable, subjects });
  expect(coverageFaults(statement, runs, nullable)).toEqual([]);
});

test("every case is of a statement, and so is every exception", () => {
  const names = new Set(STATEMENTS.map(({ name }) => name));
  const given = [...Object.keys(CASES), ...Object.keys(NOT_COMPARED)];
  expect(given.filter((name) => !names.has(name))).toEqual([]);
});

const NULLABLE: Nullable = { parameters: new Set([2]), elements: new Set([3]) };

test.for<[fault: string, params: readonly unknown[][]]>([
  ["no case", []],
  [
    "$1 is never false",
    [
      [true, null, [null]],
      [true, "a", ["a"]],
    ],
  ],
  [
    "$2 is never null",
    [
      [true, "a", [null]],
      [false, "a", []],
    ],
  ],
  [
    "$2 is never other than null",
    [
      [true, null, [null]],
      [false, null, []],
    ],
  ],
  [
    "$3 is never an array with null",
    [
      [true, null, ["a"]],
      [false, "a", []],
    ],
  ],
])("%s: is found", ([fault, all]) => {
  const text = "SELECT $1::boolean, $2::text, $3::text[]";
  const runs = all.map((params) => ({ params }));
  expect(coverageFaults({ text }, runs, NULLABLE)).toEqual([fault]);
});
