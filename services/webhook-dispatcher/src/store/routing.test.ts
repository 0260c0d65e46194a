// Guarantee: every statement that writes or locks names its account, so that a distributed PostgreSQL routes
// it to one server, and none has a form that such a PostgreSQL refuses or runs only in part.

import type { Statement } from "@annals/postgres";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const FILES = readdirSync(import.meta.dirname).filter((name) => !name.endsWith(".test.ts"));
const modules: object[] = await Promise.all(FILES.map((name) => import(`./${name}`)));
const STATEMENTS = modules
  .flatMap((exports): Statement<[], unknown>[] => Object.values(exports))
  .filter(({ text }) => typeof text === "string");

const WRITE = /\b(INSERT|UPDATE|DELETE|FOR SHARE)\b/;
const OF_ACCOUNT = /\baccount_id = (\$|ANY \(\$)|VALUES \(\$1::text|SELECT \$1::text/;
/** Each with what it stands for. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["a CTE that writes", /\bAS (MATERIALIZED )?\(\s*(INSERT|UPDATE|DELETE)\b/],
  ["a clock that moves", /clock_timestamp\(\)/],
  ["a clock in COALESCE", /coalesce\([^)]*timestamp\(\)/],
  ["a list without columns", /SELECT FROM/],
  ["recursion", /\bRECURSIVE\b/],
  ["unnest in RETURNING", /RETURNING[^`]*unnest\(/],
];

function faultsOf(text: string): string[] {
  const found = REFUSED.filter(([, form]) => form.test(text)).map(([name]) => name);
  return WRITE.test(text) && !OF_ACCOUNT.test(text) ? [...found, "a write of all accounts"] : found;
}

test.for(STATEMENTS.map(({ name, text }) => [name, text] as const))("%s", ([, text]) => {
  expect(faultsOf(text)).toEqual([]);
});

test.for([
  ["a CTE that writes", "WITH a AS (DELETE FROM t WHERE account_id = $1) SELECT 1"],
  ["a clock that moves", "UPDATE t SET at = clock_timestamp() WHERE account_id = $1"],
  ["a clock in COALESCE", "SELECT coalesce($1, statement_timestamp())"],
  ["a list without columns", "SELECT 1 WHERE EXISTS (SELECT FROM t)"],
  ["recursion", "WITH RECURSIVE a AS (SELECT 1) SELECT 1 FROM a"],
  ["unnest in RETURNING", "INSERT INTO t VALUES ($1::text) RETURNING (SELECT unnest($2))"],
  ["a write of all accounts", "DELETE FROM t WHERE at < $1"],
  ["a write of all accounts", "SELECT id FROM t FOR UPDATE"],
] as const)("control: %s is found", ([fault, text]) => {
  expect(faultsOf(text)).toEqual([fault]);
});

test("all statements are looked at", () => {
  expect(STATEMENTS.length).toBeGreaterThan(40);
});
