// Guarantee: no claim of the footer of a Parquet export lets a query see other rows or values than those that
// were hashed. annals-verify refuses each such claim.

import { describe, expect, test } from "vitest";
import {
  columnIn,
  fields,
  footerWith,
  type Forgery,
  forged,
  groupIn,
  list,
  textOf,
} from "./forged-parquet.ts";
import { chainOf } from "./made-export.ts";
import { parquetOf, verdictOf } from "./made-parquet.ts";
import type { ThriftStruct } from "./thrift-codec.ts";

const PARTS = Array.from({ length: 40 }, (_, n) => ({ n }));
const VALID = parquetOf(chainOf("acct_1", PARTS));

const gap = (isCounted: boolean) => ({ gap: { bytes: Buffer.from("gap"), isCounted } });

describe("a claim of the footer that would let a query see something else is refused:", () => {
  const statistics = (own: ThriftStruct, name: string): ThriftStruct =>
    fields(columnIn(own, name)[12]);

  test.each<[string, Forgery, RegExp]>([
    [
      "a lower bound above a value",
      footerWith((own) => (statistics(own, "action")[6] = Buffer.from("b"))),
      /the column action .* the footer has other bounds of its values$/,
    ],
    [
      "an upper bound below a value",
      footerWith((own) => (statistics(own, "sequence_number")[5] = Buffer.alloc(8))),
      /the column sequence_number .* the footer has other bounds of its values$/,
    ],
    [
      "a bound that is called exact, and is no value",
      footerWith((own) => (statistics(own, "action")[6] = Buffer.from("A"))),
      /the column action .* the footer has other bounds of its values$/,
    ],
    [
      "another count of nulls",
      footerWith((own) => (statistics(own, "actor_id")[3] = 39n)),
      /the column actor_id .* the footer has another count of its nulls$/,
    ],
    [
      "a count of distinct values",
      footerWith((own) => (statistics(own, "action")[4] = 1n)),
      /the column action .* the footer has other bounds of its values$/,
    ],
    [
      "an entry that is not that of the manifest",
      footerWith((own) => {
        const entries = list(own[5]).map(fields);
        const count = entries.find((entry) => textOf(entry[1]) === "annals.event_count");
        if (count) count[2] = Buffer.from("41");
      }),
      /the footer's annals.event_count is another one$/,
    ],
    ["bytes behind the row groups", gap(true), /size_bytes is not that of the row groups$/],
    ["such bytes, not counted", gap(false), /size_bytes is not that of the row groups$/],
    ["fewer rows", footerWith((own) => (own[3] = 39n)), /the footer counts other rows/],
    [
      "times in milliseconds",
      footerWith((own) => {
        const time = list(own[2])
          .map(fields)
          .find((column) => textOf(column[4]) === "created_at");
        fields(fields(time?.[10])[8])[2] = { 1: {} };
      }),
      /the columns are not those of exports$/,
    ],
    [
      "a column under the name of another",
      footerWith((own) => list(own[2]).splice(2, 2, ...list(own[2]).slice(2, 4).toReversed())),
      /the columns are not those of exports$/,
    ],
    [
      "the values of another column",
      footerWith((own) => (columnIn(own, "hash")[9] = columnIn(own, "previous_hash")[9] ?? 0n)),
      /a column is not stored as those of exports$/,
    ],
    [
      "a filter in place of the values",
      footerWith((own) => (columnIn(own, "action")[14] = 4n)),
      /a column is not stored as those of exports$/,
    ],
    [
      "an index of pages",
      footerWith((own) => (fields(list(groupIn(own)[1])[0])[4] = 4n)),
      /a column is not stored as those of exports$/,
    ],
    [
      "an entry twice",
      footerWith((own) =>
        list(own[5]).unshift({ 1: Buffer.from("annals.chain"), 2: Buffer.from("x") }),
      ),
      /the entries of the footer are not those of exports$/,
    ],
  ])("%s", async (_, forgery, expected) => {
    expect(await verdictOf(forged(VALID, forgery))).toMatch(expected);
  });

  test("and none of that is in the file as it was", async () => {
    expect(await verdictOf(forged(VALID, {}))).toBe("Error: valid");
  });
});
