// Guarantee: the reports of VACUUM give the oldest transaction of all tables, across the end of its 32 bits,
// and nothing if a table was skipped or rows were missed. What VACUUM does is in the tests of the ledger.

import { expect, test } from "vitest";
import { cutoffOf } from "./vacuum.ts";

const TABLES = ["ledger.events", "ledger.blocks"];
const report = (table: string, cutoff: number | bigint, more = "") =>
  `finished vacuuming "annals.${table}": index scans: 1\npages: 0 removed\n${more}` +
  `removable cutoff: ${cutoff}, which was 2 XIDs old when operation ended\nnew relfrozenxid`;
const both = [report("ledger.events", 90), report("ledger.blocks", 95)];
const MISSED = "tuples missed: 3 dead from 1 pages not removed due to cleanup lock contention\n";

test.each<[string, string[], bigint, bigint | undefined]>([
  ["the least of both", both, 100n, 90n],
  ["that of a table of large values", [...both, report("pg_toast.pg_toast_1", 80)], 100n, 80n],
  ["after the numbers began again", both, 2n ** 33n + 100n, 2n ** 33n + 90n],
  [
    "before they begin again",
    [report("ledger.events", 2n ** 32n - 1n), both[1] ?? ""],
    2n ** 32n + 100n,
    2n ** 32n - 1n,
  ],
  ["a table was skipped", both.slice(0, 1), 100n, undefined],
  ["rows were missed", [report("ledger.events", 90, MISSED), both[1] ?? ""], 100n, undefined],
  ["nothing was said", [], 100n, undefined],
])("%s", (_, reports, next, cutoff) => {
  expect(cutoffOf(reports, TABLES, next)).toBe(cutoff);
});
