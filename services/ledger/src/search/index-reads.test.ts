// Guarantee: with the index a page deep in a chain reads no more than one at its head, and no statement of it
// reads the blocks or events of others, whatever the statistics say.

import { type Pool, type Statement, statement } from "@annals/postgres";
import { explain, type TestDatabase } from "@annals/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { CHUNK_SIZE } from "./rules/chunk.ts";
import { checkBlock } from "../verify/store/check-block.ts";
import { findHiddenTime, findHiddenValue } from "../verify/store/find-hidden-event.ts";
import { findPlaces } from "./store/find-places.ts";
import { findSegments } from "../store/find-segments.ts";
import { type FilterParams, findInRange } from "../store/find-matches.ts";
import { listEvents, type RangeParams } from "../store/list-events.ts";
import { streamEvents } from "../store/stream-events.ts";
import { readRange } from "../store/read-range.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import { indexAll, insertChain, received, timeOf } from "../testing/index-fixtures.ts";
import { SEALED } from "../testing/segment-fixtures.ts";
import { openLedger, type TestLedger } from "../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const NEIGHBOUR = "acct_2";

let database: TestDatabase;
let ledger: TestLedger;

beforeEach(async () => {
  database = await newLedgerDatabase();
  ledger = openLedger(database);
});

describe("a page deep in the chain", () => {
  const LENGTH = 5 * CHUNK_SIZE;

  /** Blocks of 8 KiB that a statement touches, by the worst of the plans that PostgreSQL may choose. */
  async function blocksOf<Params extends readonly unknown[]>(
    given: Statement<Params, unknown>,
    params: Params,
  ): Promise<number> {
    const plans = given.customPlan ? (["custom"] as const) : (["custom", "generic"] as const);
    const explained = await Promise.all(plans.map((one) => explain(database, given, params, one)));
    return Math.max(...explained.map(({ blocks }) => blocks));
  }

  /** Rows of events that a page of a list by time looks at, by the ranges that its statements were given. */
  async function rowsRead(ascending: boolean, filter: Readonly<Record<string, string>>) {
    let rows = 0;
    const watching = (pool: Pool): Pool => ({
      ...pool,
      run: (given, params) => {
        const [, from, to] = params;
        if (given.name === "ledger.find-in-range") rows += Number(to) - Number(from) + 1;
        return pool.run(given, params);
      },
    });
    const { client } = openLedger(database, undefined, watching);
    const { events } = await client.listEvents({
      accountId: ACCOUNT,
      filter,
      ascending,
      limit: 50,
    });
    expect(events).toHaveLength(50);
    return rows;
  }

  /** The times of the page at the head of its order, and at the other end. */
  const PAGES = [
    { ascending: false, head: { occurredTo: timeOf(LENGTH) }, deep: { occurredTo: timeOf(50) } },
    {
      ascending: true,
      head: { occurredFrom: timeOf(0) },
      deep: { occurredFrom: timeOf(LENGTH - 50) },
    },
    {
      ascending: false,
      head: { receivedTo: received(LENGTH) },
      deep: { receivedTo: received(50) },
    },
    {
      ascending: true,
      head: { receivedFrom: received(0) },
      deep: { receivedFrom: received(LENGTH - 50) },
    },
  ] as const;

  test("reads little more than at the head, in both orders and by both times", async () => {
    await insertChain(database, ACCOUNT, LENGTH);
    // Control: without the index every event between is read.
    for (const { ascending, deep } of PAGES)
      expect(await rowsRead(ascending, deep)).toBeGreaterThan(4 * CHUNK_SIZE);
    await indexAll(ledger.database);
    for (const { ascending, deep, head } of PAGES) {
      // At most the one chunk that the times are in.
      expect(await rowsRead(ascending, deep)).toBeLessThanOrEqual(CHUNK_SIZE);
      expect(await rowsRead(ascending, head)).toBeLessThan(CHUNK_SIZE);
    }
  });

  test("of an account that PostgreSQL knows: no more than the page, and not all behind it", async () => {
    await insertChain(database, ACCOUNT, LENGTH);
    await database.query("VACUUM ANALYZE ledger.events");
    const page: RangeParams = [ACCOUNT, "1", null, 201, 1e6];
    expect(await blocksOf(listEvents.ascending, page)).toBeLessThan(LENGTH / 100);
    expect(await blocksOf(listEvents.descending, page)).toBeLessThan(LENGTH / 100);
    expect(await blocksOf(streamEvents.ascending, page)).toBeLessThan(LENGTH / 100);
  });

  test("looks up values and ranges without reading the blocks of others", async () => {
    await insertChain(database, ACCOUNT, SEALED);
    await database.query(
      "UPDATE ledger.events SET action = 'a.' || sequence_number, actor_id = 'u_' || sequence_number",
    );
    await indexAll(ledger.database);
    const range = ["a.77", "a.78"] as const;
    const asked = (level: number, fields: number[], since: string[], before: string[]) =>
      blocksOf(findPlaces, [ACCOUNT, [level], [0], fields, since, before, 1, 65_536]);
    for (const analyze of ["SELECT", "VACUUM ANALYZE ledger.blocks"]) {
      await database.query(analyze);
      const all = statement<[string], unknown>(
        "/* test.count */ SELECT sum(octet_length(places)) FROM ledger.blocks WHERE account_id = $1 AND field = 1",
        { route: "one account" },
      );
      // Control: a scan of all blocks reads many more pages.
      expect(await blocksOf(all, [ACCOUNT])).toBeGreaterThan(100);
      expect(await asked(1, [1, 2], ["a.5", "u_5"], ["a.5\u0001", "u_5\u0001"])).toBeLessThan(90);
      expect(await asked(1, [1], [range[0]], [range[1]])).toBeLessThan(90);
    }
  });

  test("of an account that has grown since the last ANALYZE, which PostgreSQL takes for empty", async () => {
    const length = CHUNK_SIZE;
    await insertChain(database, NEIGHBOUR, length);
    await database.query("VACUUM ANALYZE ledger.events");
    await insertChain(database, ACCOUNT, length);
    await indexAll(ledger.database);
    // Each row once more for each other one would be millions.
    const noTimes = [null, null, null, null] as const;
    const none = [null, null, null, null, null, null] as const;
    const two: FilterParams = [null, null, ...noTimes, ["u_1", "u_2"], null, null, null, ...none];
    expect(await blocksOf(findInRange, [ACCOUNT, 1, length, ...two])).toBeLessThan(length / 2);
    const prefixed: FilterParams = [[], ["a", "b"], ...noTimes, null, null, null, null, ...none];
    expect(await blocksOf(findInRange, [ACCOUNT, 1, length, ...prefixed])).toBeLessThan(length / 2);
    const segment = [ACCOUNT, 1, length, null, null, null, null] as const;
    expect(await blocksOf(findSegments, [...segment])).toBeLessThan(20);
    const asked = [[0], [0], [1, 2, 2], ["a", "", "u_7"], ["b", "\u0001", "u_7\u0001"]] as const;
    expect(await blocksOf(findPlaces, [ACCOUNT, ...asked, 1, 1e6])).toBeLessThan(100);
    const COLUMN = [2, null, null, null] as const;
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    const any: FilterParams = [null, null, ...noTimes, null, null, null, null, ...none];
    const some = await blocksOf(listEvents.numbers, [ACCOUNT, numbers, 1e6, ...any]);
    expect(some).toBeLessThan(length / 2);
    const all: RangeParams = [ACCOUNT, "1", null, 101, 1e6];
    expect(await blocksOf(listEvents.ascending, all)).toBeLessThan(length / 2);
    expect(await blocksOf(listEvents.descending, all)).toBeLessThan(length / 2);
    expect(await blocksOf(checkBlock, [ACCOUNT, "1", String(length)])).toBeLessThan(length);
    const read = await blocksOf(readRange, [ACCOUNT, "1", String(length), length]);
    expect(read).toBeLessThan(12 * length);
    expect(await blocksOf(findHiddenTime, [ACCOUNT, 1, length])).toBeLessThan(length);
    expect(await blocksOf(findHiddenValue, [ACCOUNT, 0, 0, 1, length, ...COLUMN])).toBeLessThan(
      length,
    );
  });
});
