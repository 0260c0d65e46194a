// Guarantee: each complete chunk is indexed once, oldest first, by any number of workers, account by account
// in turn; the lag says what is left. With the index a page deep in a chain reads no more than one at its
// head.

import { createLog, REST_MS, startLoop } from "@annals/chassis";
import { type Pool, type Statement, statement } from "@annals/postgres";
import { explain, type TestDatabase } from "@annals/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { CHUNK_SIZE } from "../rules/chunk.ts";
import { checkBlock } from "../../verify/store/check-block.ts";
import { findActions } from "../store/find-actions.ts";
import { findHiddenEvent } from "../../verify/store/find-hidden-event.ts";
import { indexChunk } from "../store/index-chunk.ts";
import { type FilterParams, findInRange } from "../../store/find-matches.ts";
import { listEvents, type RangeParams } from "../../store/list-events.ts";
import { streamEvents } from "../../store/stream-events.ts";
import { readRange } from "../../store/read-range.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { indexAll, timeOf } from "../../testing/index-fixtures.ts";
import { GrownChains } from "../../append/grown-chains.ts";
import { openLedger, type TestLedger } from "../../testing/test-ledger.ts";
import { DELAY_MS, FilterIndex } from "./filter-index.ts";

const ACCOUNT = "acct_1";
const NEIGHBOUR = "acct_2";
const NEVER = new AbortController().signal;

let database: TestDatabase;
let ledger: TestLedger;

beforeEach(async () => {
  database = await newLedgerDatabase();
  ledger = openLedger(database);
});

const received = (second: number) => `received ${timeOf(second)}`;

/** Rows of a chain that occurred a second after each other, without true hashes, and the head behind them. */
async function insertChain(accountId: string, length: number): Promise<void> {
  await database.query(
    `INSERT INTO ledger.events
     SELECT $1, number, 'evt_' || number, 'a', occurred_at, 'received ' || occurred_at, '', decode(repeat('00', 160), 'hex'),
       sha256(convert_to($1 || number - 1, 'UTF8')), sha256(convert_to($1 || number, 'UTF8')),
       '{}', '{}', '{}', '{}', '{}', decode(repeat('00', 80), 'hex'), 'u_' || number % 50
     FROM unnest($2::text[]) WITH ORDINALITY AS given (occurred_at, number)`,
    [accountId, Array.from({ length }, (_, index) => timeOf(index))],
  );
  await database.query(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     VALUES ($1, $2, decode(repeat('00', 32), 'hex'))`,
    [accountId, length],
  );
}

const chunks = () =>
  database.query(
    "SELECT account_id, chunk::int, earliest, latest, first_received, last_received FROM ledger.chunks ORDER BY 1, 2",
  );

const chunkOf = (accountId: string, chunk: number) => ({
  account_id: accountId,
  chunk,
  earliest: timeOf(chunk * CHUNK_SIZE),
  latest: timeOf((chunk + 1) * CHUNK_SIZE - 1),
  first_received: received(chunk * CHUNK_SIZE),
  last_received: received((chunk + 1) * CHUNK_SIZE - 1),
});

function newIndex(on: Pick<Pool, "run"> = ledger.database) {
  const lags: number[] = [];
  const lag = (events: number) => void lags.push(events);
  const log = createLog({ service: "test", level: "error" });
  const grown = new GrownChains();
  return { grown, index: new FilterIndex({ database: on, grown, lag, log }), lags };
}

describe("indexing", () => {
  test("adds the complete chunks of every account, once, by workers that race", async () => {
    await insertChain(ACCOUNT, 3 * CHUNK_SIZE);
    await insertChain(NEIGHBOUR, 2 * CHUNK_SIZE - 1);
    const others = [openLedger(database), openLedger(database)];
    await Promise.all([ledger, ...others].map((one) => indexAll(one.database)));
    await indexAll(ledger.database);
    const expected = [0, 1, 2].map((chunk) => chunkOf(ACCOUNT, chunk));
    expect(await chunks()).toEqual([...expected, chunkOf(NEIGHBOUR, 0)]);
    const [posting] = await database.query(
      `SELECT ordinals FROM ledger.postings
       WHERE account_id = $1 AND field = 'actor_id' AND value = 'u_3' AND chunk = 1`,
      [ACCOUNT],
    );
    const ordinals = Array.from({ length: CHUNK_SIZE }, (_, ordinal) => ordinal);
    const isOf = (ordinal: number) => (CHUNK_SIZE + 1 + ordinal) % 50 === 3;
    expect(posting).toEqual({ ordinals: ordinals.filter(isOf) });
  });

  test("leaves no gap, and nothing of a chunk with a missing event", async () => {
    await insertChain(ACCOUNT, 3 * CHUNK_SIZE);
    await ledger.database.run(indexChunk, [ACCOUNT, "1"]);
    await database.query("DELETE FROM ledger.events WHERE sequence_number = 77");
    expect(await newIndex().index.run(NEVER)).toBe(REST_MS);
    expect(await chunks()).toEqual([]);
    expect(await database.query("SELECT FROM ledger.postings")).toEqual([]);
  });

  test("gives every account its turn, and reports what is left", async () => {
    await insertChain(ACCOUNT, 9 * CHUNK_SIZE);
    await insertChain(NEIGHBOUR, CHUNK_SIZE);
    const { index, lags } = newIndex();
    expect(await index.run(NEVER)).toBe(0);
    expect(await chunks()).toHaveLength(8 + 1);
    expect(await index.run(NEVER)).toBe(DELAY_MS);
    expect(await chunks()).toHaveLength(9 + 1);
    expect(lags).toEqual([CHUNK_SIZE, 0]);
  });

  test("of an account fails alone where it cannot be done, each time", async () => {
    await insertChain(ACCOUNT, CHUNK_SIZE);
    await insertChain(NEIGHBOUR, CHUNK_SIZE);
    const text = Array.from({ length: 8_000 }, () => Math.random().toString(36)).join("");
    await database.query(
      "UPDATE ledger.events SET actor_id = $1 WHERE account_id = $2 AND sequence_number = 1",
      [text, ACCOUNT],
    );
    const { index, lags } = newIndex();
    await expect(index.run(NEVER)).rejects.toThrow("maximum");
    await expect(index.run(NEVER)).rejects.toThrow("maximum");
    expect(await chunks()).toEqual([chunkOf(NEIGHBOUR, 0)]);
    expect(lags).toEqual([CHUNK_SIZE, CHUNK_SIZE]);
  });

  test("goes on with the accounts of the last list if it cannot read another", async () => {
    await insertChain(ACCOUNT, CHUNK_SIZE);
    await insertChain(NEIGHBOUR, CHUNK_SIZE);
    let isAway = false;
    const run: Pool["run"] = (given, params) =>
      isAway && (given.route === "all accounts, read" || params[0] === ACCOUNT)
        ? Promise.reject(new Error("a server is away"))
        : ledger.database.run(given, params);
    const { index } = newIndex({ run });
    await index.run(NEVER);
    // This list says that nothing is left to do.
    await index.run(NEVER);
    await database.query("DELETE FROM ledger.chunks; DELETE FROM ledger.postings");
    isAway = true;
    await expect(index.run(NEVER)).rejects.toThrow("away");
    expect(await chunks()).toEqual([chunkOf(NEIGHBOUR, 0)]);
  });

  test("of a chunk that this process has filled waits for no list", async () => {
    await insertChain(ACCOUNT, CHUNK_SIZE);
    await insertChain(NEIGHBOUR, CHUNK_SIZE);
    const run: Pool["run"] = (given, params) =>
      given.route === "all accounts, read"
        ? Promise.reject(new Error("a server is away"))
        : ledger.database.run(given, params);
    const { grown, index } = newIndex({ run });
    grown.add(NEIGHBOUR, 1, CHUNK_SIZE);
    await expect(index.run(NEVER)).rejects.toThrow("away");
    expect(await chunks()).toEqual([chunkOf(NEIGHBOUR, 0)]);
  });

  test("goes on in the background, until it is stopped", async () => {
    await insertChain(ACCOUNT, 2 * CHUNK_SIZE);
    const log = createLog({ service: "test", level: "error" });
    const { index } = newIndex();
    const options = { name: "filter_index", failures: { inc: () => {} }, log, delayMs: DELAY_MS };
    const loop = startLoop({ ...options, run: (signal) => index.run(signal) });
    await expect.poll(chunks, { timeout: 10_000 }).toHaveLength(2);
    await loop.stop();
  });
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

  test.each(PAGES)("reads little more than at the head: %j", async (page) => {
    await insertChain(ACCOUNT, LENGTH);
    // Control: without the index every event between is read.
    expect(await rowsRead(page.ascending, page.deep)).toBeGreaterThan(4 * CHUNK_SIZE);
    await indexAll(ledger.database);
    // At most the one chunk that the times are in.
    expect(await rowsRead(page.ascending, page.deep)).toBeLessThanOrEqual(CHUNK_SIZE);
    expect(await rowsRead(page.ascending, page.head)).toBeLessThan(CHUNK_SIZE);
  });

  test("of an account that PostgreSQL knows: no more than the page, and not all behind it", async () => {
    await insertChain(ACCOUNT, LENGTH);
    await database.query("VACUUM ANALYZE ledger.events");
    const page: RangeParams = [ACCOUNT, "1", null, 201, 1e6];
    expect(await blocksOf(listEvents.ascending, page)).toBeLessThan(LENGTH / 100);
    expect(await blocksOf(listEvents.descending, page)).toBeLessThan(LENGTH / 100);
    expect(await blocksOf(streamEvents.ascending, page)).toBeLessThan(LENGTH / 100);
  });

  test("by a prefix: finds its actions without reading the postings of later ones", async () => {
    const blocks = () => blocksOf(findActions, [ACCOUNT, ["a.", "d."], ["a/", "d/"], 65]);
    const addPostings = (action: string, count: number) =>
      database.query(
        `INSERT INTO ledger.postings (account_id, field, value, chunk, ordinals)
         SELECT $1, 'action', $2, chunk, '{0}' FROM generate_series(1, $3::bigint) AS chunk`,
        [ACCOUNT, action, count],
      );
    await addPostings("a.1", 1);
    await addPostings("e.1", 20_000);
    await database.query("VACUUM ANALYZE ledger.postings");
    // Control: a scan of all postings reads many more pages.
    const all = statement<[string], unknown>(
      "/* test.count */ SELECT count(*) FROM ledger.postings WHERE account_id = $1 AND field = 'action'",
      { route: "one account" },
    );
    expect(await blocksOf(all, [ACCOUNT])).toBeGreaterThan(100);
    expect(await blocks()).toBeLessThan(30);
  });

  test("of an account that has grown since the last ANALYZE, which PostgreSQL takes for empty", async () => {
    const length = CHUNK_SIZE;
    await insertChain(NEIGHBOUR, length);
    await database.query("VACUUM ANALYZE ledger.events");
    await insertChain(ACCOUNT, length);
    await indexAll(ledger.database);
    // Each row once more for each other one would be millions.
    const noTimes = [null, null, null, null] as const;
    const two: FilterParams = [null, null, ...noTimes, ["u_1", "u_2"], null, null, null];
    expect(await blocksOf(findInRange, [ACCOUNT, 1, length, ...two])).toBeLessThan(length / 2);
    const prefixed: FilterParams = [[], ["a", "b"], ...noTimes, null, null, null, null];
    expect(await blocksOf(findInRange, [ACCOUNT, 1, length, ...prefixed])).toBeLessThan(length / 2);
    const ranges = [ACCOUNT, ["a", "b", "c"], ["b", "c", null], 65] as const;
    expect(await blocksOf(findActions, [...ranges])).toBeLessThan(100);
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    const any: FilterParams = [null, null, ...noTimes, null, null, null, null];
    const some = await blocksOf(listEvents.numbers, [ACCOUNT, numbers, 1e6, ...any]);
    expect(some).toBeLessThan(length / 2);
    const all: RangeParams = [ACCOUNT, "1", null, 101, 1e6];
    expect(await blocksOf(listEvents.ascending, all)).toBeLessThan(length / 2);
    expect(await blocksOf(listEvents.descending, all)).toBeLessThan(length / 2);
    expect(await blocksOf(checkBlock, [ACCOUNT, "1", String(length)])).toBeLessThan(length);
    const read = await blocksOf(readRange, [ACCOUNT, "1", String(length), length]);
    expect(read).toBeLessThan(12 * length);
    const hidden = await blocksOf(findHiddenEvent, [ACCOUNT, "0", "1", String(length)]);
    expect(hidden).toBeLessThan(length);
  });
});
