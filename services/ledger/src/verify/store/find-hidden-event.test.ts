// Guarantee: the comparison of a segment finds nothing hidden where the index is right, and the event whose
// place is missing, whatever plan PostgreSQL prefers and however little memory it may use.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../../testing/database.ts";
import {
  changeEntry,
  FRESH,
  indexSparse,
  insertEvents,
  KINDS,
  OUTCOMES,
  SEALED,
  SPARSE,
} from "../../testing/segment-fixtures.ts";
import { FIELDS, findHiddenValue } from "./find-hidden-event.ts";

let database: TestDatabase;
let pool: Pool;

const call = (text: string) =>
  ({ name: "test.call", text, route: "local", customPlan: true }) as const;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  pool = openPool(database.url, { atEnd: afterAll });
  for (const kind of ["one", "many", "some", "erased"] as const) {
    await insertEvents(database, kind, FRESH, { values: KINDS[kind], metadata: OUTCOMES });
    await pool.run(call("SELECT ledger.index_segment($1, 0)"), [kind]);
  }
  const sparse = { metadata: OUTCOMES, every: SPARSE } as const;
  await insertEvents(database, "sealed", SEALED / SPARSE, sparse);
  await indexSparse(database, "sealed", 0, SEALED);
  await pool.run(call("SELECT ledger.seal_segment($1, 0)"), ["sealed"]);
});

/** Field and number of what is hidden. */
async function hidden(accountId: string, setting: string) {
  const isSealed = accountId === "sealed";
  const range = [accountId, isSealed ? 1 : 0, 0, 1, isSealed ? SEALED : FRESH] as const;
  return pool.transaction(async (transaction) => {
    await transaction.run(call(`SET LOCAL ${setting}`), []);
    const found: (readonly [number, number])[] = [];
    for (const field of FIELDS) {
      const [row] = await transaction.run(findHiddenValue, [...range, ...field]);
      if (row?.is_kept !== true) throw new Error("nothing was compared");
      if (row.sequence_number !== null) found.push([field[0], Number(row.sequence_number)]);
    }
    return found;
  });
}

describe.each(["work_mem = '64kB'", "enable_hashagg = off", "enable_sort = off"])(
  "with %s",
  (setting) => {
    test.each(["one", "many", "some", "erased", "sealed"])(
      "%s: nothing is hidden",
      async (kind) => {
        expect(await hidden(kind, setting)).toEqual([]);
      },
    );

    test.each([
      ["some", 2, "u_7"],
      ["some", 6, "o3"],
      ["sealed", 2, "u_7"],
      ["sealed", 6, ""],
    ])("%s: what lacks a place of field %i is hidden", async (kind, field, key) => {
      const entry = { field, key, base: 0 };
      let places: readonly number[] = [];
      await changeEntry(database, kind, entry, (all) => {
        places = all;
        return all.toSpliced(2, 1);
      });
      expect(await hidden(kind, setting)).toEqual([[field, (places[2] ?? 0) + 1]]);
      await changeEntry(database, kind, entry, () => places);
    });
  },
);
