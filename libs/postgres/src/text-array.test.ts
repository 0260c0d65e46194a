// Guarantee: whatever texts go in, as such or as their UTF-8, PostgreSQL has the same ones, nulls and the
// empty array included.

import { createDatabase } from "@annals/testing";
import fc from "fast-check";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { textArray } from "./text-array.ts";

async function connected() {
  const database = await createDatabase(inject("stack").databaseUrl);
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  return async (values: readonly (string | Uint8Array | null)[]): Promise<unknown> => {
    const { rows } = await client.query("SELECT $1::text[] AS given", [textArray(values)]);
    return rows[0].given;
  };
}

// PostgreSQL has no U+0000, and the reader of bodies lets none in.
const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
const values = fc.array(fc.option(text, { nil: null }));

test("any texts", async () => {
  const given = await connected();
  await fc.assert(
    fc.asyncProperty(values, async (some) => {
      expect(await given(some)).toStrictEqual(some);
      expect(await given(some.map((each) => each && Buffer.from(each)))).toStrictEqual(some);
    }),
  );
});

test.each([
  ["none", []],
  ["a null alone", [null]],
  ["the word NULL, quotes, braces, backslashes", ["NULL", null, '{"a":"b\\\\"}', "", "{}", "\\"]],
  ["of one, two, three and four bytes", ["a", "é", "€", "𝄞"]],
])("%s", async (_, some) => {
  const given = await connected();
  expect(await given(some)).toStrictEqual(some);
});
