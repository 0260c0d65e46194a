// Guarantee: each form that a distributed PostgreSQL refuses, or runs only in part, is found.

import { expect, test } from "vitest";
import { routingFaults } from "./routing.ts";

test.for([
  ["a CTE that writes", "WITH a AS (DELETE FROM t WHERE account_id = $1) SELECT 1"],
  ["a clock that moves", "UPDATE t SET at = clock_timestamp() WHERE account_id = $1"],
  ["a clock in COALESCE", "SELECT coalesce($1, statement_timestamp())"],
  ["a list without columns", "SELECT 1 WHERE EXISTS (SELECT FROM t)"],
  ["recursion", "WITH RECURSIVE a AS (SELECT 1) SELECT 1 FROM a"],
  ["unnest in RETURNING", "INSERT INTO t VALUES ($1::text) RETURNING (SELECT unnest($2))"],
  ["a write of all accounts", "DELETE FROM t WHERE at < $1"],
  ["a write of all accounts", "SELECT id FROM t FOR UPDATE"],
] as const)("%s is found", ([fault, text]) => {
  expect(routingFaults(text)).toEqual([fault]);
});

test("a statement of one account, or of a list of accounts, has no fault", () => {
  expect(routingFaults("DELETE FROM t WHERE account_id = $1")).toEqual([]);
  expect(routingFaults("DELETE FROM t WHERE account_id = ANY ($1)")).toEqual([]);
});
