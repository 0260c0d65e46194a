// Guarantees: the heads of a proposal are read as they were kept, in parts that do not grow with the number
// of accounts. A part that is gone is told from one that is cut off.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import type { Head } from "@annals/tlog";
import { beforeEach, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../testing/database.ts";
import { keepProposedHeads, NO_HEADS, readProposedHeads } from "./proposed-heads.ts";

const LOG = 1;
const SIZE = "7";

let owner: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  owner = await newLedgerDatabase();
  pool = openPool(owner.url);
});

test.each([1, 1_000, 1_001, 2_500])("%i heads are read as they were kept", async (count) => {
  const heads = Array.from({ length: count }, (_, at) => headOf(at));
  const kept = await keepProposedHeads(pool, LOG, SIZE, heads);
  const parts: (readonly Head[])[] = [];
  for await (const part of readProposedHeads(pool, LOG, SIZE, kept)) parts.push(part ?? []);
  expect(parts.flat()).toEqual(heads);
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(1_000);
  expect(parts).toHaveLength(kept.parts);
});

test("a proposal without heads keeps nothing", async () => {
  expect(await keepProposedHeads(pool, LOG, SIZE, [])).toEqual(NO_HEADS);
  expect(await owner.query("SELECT * FROM ledger.proposed_heads")).toEqual([]);
});

test("a part that is cut off is an error, and one that is gone is named as such", async () => {
  const kept = await keepProposedHeads(pool, LOG, SIZE, [headOf(1)]);
  const read = () => readProposedHeads(pool, LOG, SIZE, kept).next();
  await owner.query("UPDATE ledger.proposed_heads SET heads = substr(heads, 1, 40)");
  await expect(read()).rejects.toThrow(RangeError);
  await owner.query("DELETE FROM ledger.proposed_heads");
  expect(await read()).toEqual({ done: false, value: undefined });
});

function headOf(at: number): Head {
  return { chain: `acct_${at}`, size: at + 2 ** 40, root: Buffer.alloc(32, at) };
}
