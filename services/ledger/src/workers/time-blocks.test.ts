// Guarantee: a list by time finds exactly the events that occurred then, in the order of the chain,
// however many time blocks are filled; with them a page deep in a chain reads no more than one at its
// head. A time block that was changed, so that lists skip an event, is found by verification.

import { createLog } from "@annals/chassis";
import { InvalidReason } from "@annals/proto/ledger";
import type { TestDatabase } from "@annals/testing";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { newLedgerDatabase } from "../testing/database.ts";
import { TIME_BLOCK_SIZE } from "../domain/time-block.ts";
import { checkBlock } from "../store/check-block.ts";
import { fillTimeBlocks } from "../store/fill-time-blocks.ts";
import {
  listEventsByTimeAscending,
  listEventsByTimeDescending,
} from "../store/list-events-by-time.ts";
import { readRange } from "../store/read-range.ts";
import { appendOf, openLedger, type TestLedger } from "../testing/test-ledger.ts";
import { fillSome, startTimeBlockFiller } from "./time-block-filler.ts";

const ACCOUNT = "acct_1";
const NEIGHBOUR = "acct_2";
const WHOLE_BLOCKS = 5;
const EVENTS = WHOLE_BLOCKS * TIME_BLOCK_SIZE + 300;
const EVERYTHING = new AbortController().signal;

let database: TestDatabase;
let ledger: TestLedger;

beforeEach(async () => {
  database = await newLedgerDatabase();
  ledger = openLedger(database);
});

const timeOf = (second: number) =>
  new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().replace("Z", "000Z");

/** Rows of a chain that occurred at `times`, without true hashes, and the head behind them. */
async function insertChain(accountId: string, times: readonly string[]): Promise<void> {
  const given = [accountId, times];
  await database.query(
    `INSERT INTO ledger.chain
     SELECT $1, number, 'evt_' || number, 'a', occurred_at, '', '', decode(repeat('00', 160), 'hex'),
       sha256(convert_to($1 || number - 1, 'UTF8')), sha256(convert_to($1 || number, 'UTF8'))
     FROM unnest($2::text[]) WITH ORDINALITY AS given (occurred_at, number)`,
    given,
  );
  await database.query(
    `INSERT INTO ledger.payloads
     SELECT $1, number, '{}', '{}', '{}', '{}', '{}', decode(repeat('00', 80), 'hex')
     FROM unnest($2::text[]) WITH ORDINALITY AS given (occurred_at, number)`,
    given,
  );
  await database.query(
    `INSERT INTO ledger.heads (account_id, sequence_number, hash)
     VALUES ($1, $2, decode(repeat('00', 32), 'hex'))`,
    [accountId, times.length],
  );
}

const fillAll = () => fillSome(ledger.database, "", EVERYTHING);

const filled = () =>
  database.query(
    "SELECT account_id, block::int, earliest, latest FROM ledger.time_blocks ORDER BY 1, 2",
  );

describe("a list by time is what the events say", () => {
  /** Seconds of each event: they rise, with some that lie far before or after their neighbours. */
  const seconds = Array.from({ length: EVENTS }, (_, n) => {
    if (n % 611 === 0) return n - 2_000;
    if (n % 1_000 === 7) return n + 3_000;
    return n + ((n * 7_919) % 40);
  });
  const time = fc.option(fc.integer({ min: -2_500, max: EVENTS + 3_500 }), { nil: undefined });
  const place = fc.option(fc.integer({ min: 0, max: EVENTS + 2 }), { nil: undefined });
  const queries = fc.sample(
    fc.record({
      from: time,
      to: time,
      after: place,
      before: place,
      ascending: fc.boolean(),
      limit: fc.constantFrom(1, 7, 100),
    }),
    { numRuns: 60, seed: 1_024 },
  );

  const expected = ({ from, to, after, before, ascending, limit }: (typeof queries)[number]) => {
    const numbers = seconds
      .map((second, index) => ({ second, number: index + 1 }))
      .filter(
        ({ second }) => (from === undefined || second >= from) && (to === undefined || second < to),
      )
      .map(({ number }) => number)
      .filter((number) => number > (after ?? 0) && number < (before ?? EVENTS + 1));
    return (ascending ? numbers : numbers.toReversed()).slice(0, limit);
  };

  async function listed({ from, to, after, before, ...page }: (typeof queries)[number]) {
    const filter = {
      ...(from !== undefined && { occurredFrom: timeOf(from) }),
      ...(to !== undefined && { occurredTo: timeOf(to) }),
      ...(after !== undefined && { afterSequence: BigInt(after) }),
      ...(before !== undefined && { beforeSequence: BigInt(before) }),
    };
    const { events } = await ledger.client.listEvents({ accountId: ACCOUNT, filter, ...page });
    return events.map(({ sequenceNumber }) => Number(sequenceNumber));
  }

  test.each([0, 2, WHOLE_BLOCKS])("with %i blocks filled", async (blocks) => {
    await insertChain(ACCOUNT, seconds.map(timeOf));
    await insertChain(
      NEIGHBOUR,
      Array.from({ length: TIME_BLOCK_SIZE }, () => timeOf(0)),
    );
    await ledger.database.run(fillTimeBlocks, [ACCOUNT, "0", String(blocks)]);
    expect(await filled()).toHaveLength(blocks);
    for (const query of queries) {
      const list = { query, numbers: await listed(query) };
      expect(list).toEqual({ query, numbers: expected(query) });
    }
  });

  test("with nothing in the chain", async () => {
    const filter = { occurredFrom: timeOf(0) };
    const { events } = await ledger.client.listEvents({ accountId: ACCOUNT, filter, limit: 10 });
    expect(events).toEqual([]);
  });
});

describe("a page deep in the chain", () => {
  const LIMIT = 51;

  /** Pages of 8 kB that PostgreSQL reads for a statement. */
  async function pagesOf(text: string, params: readonly unknown[]): Promise<number> {
    const [row] = await database.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      params,
    );
    const plan = row?.["QUERY PLAN"][0].Plan ?? {};
    return (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
  }

  const pagesRead = (
    ascending: boolean,
    [from, to]: readonly [from: string | null, to: string | null],
  ) => {
    const { text } = ascending ? listEventsByTimeAscending : listEventsByTimeDescending;
    return pagesOf(text, [ACCOUNT, null, null, from, to, LIMIT]);
  };

  const LENGTH = 20 * TIME_BLOCK_SIZE;

  /** The times of the page at the head of its order, and at the other end. */
  const PAGES = [
    { ascending: false, head: [null, timeOf(LENGTH)], deep: [null, timeOf(LIMIT)] },
    { ascending: true, head: [timeOf(0), null], deep: [timeOf(LENGTH - LIMIT), null] },
  ] as const;

  test.each(PAGES)("reads no more than at the head (ascending: $ascending)", async (page) => {
    await insertChain(
      ACCOUNT,
      Array.from({ length: LENGTH }, (_, n) => timeOf(n)),
    );
    await database.query("ANALYZE ledger.chain, ledger.payloads");
    // Control: without the blocks every event between is read.
    const searched = await pagesRead(page.ascending, page.deep);
    await fillAll();
    await database.query("ANALYZE ledger.time_blocks");
    const head = await pagesRead(page.ascending, page.head);
    const deep = await pagesRead(page.ascending, page.deep);
    expect(deep).toBeLessThan(1.5 * head);
    expect(searched).toBeGreaterThan(3 * deep);
  });

  test("of an account that has grown since the last ANALYZE, which PostgreSQL takes for empty", async () => {
    const times = Array.from({ length: 4 * TIME_BLOCK_SIZE }, (_, n) => timeOf(n));
    await insertChain(NEIGHBOUR, times);
    await database.query("VACUUM ANALYZE ledger.chain, ledger.payloads");
    await insertChain(ACCOUNT, times);
    await fillAll();
    // Each row once more for each other one would be millions.
    expect(await pagesRead(true, [timeOf(times.length - LIMIT), null])).toBeLessThan(
      times.length / 2,
    );
    const params = [ACCOUNT, "1", String(times.length)];
    expect(await pagesOf(checkBlock.text, params)).toBeLessThan(times.length);
    expect(await pagesOf(readRange.text, [...params, times.length])).toBeLessThan(
      12 * times.length,
    );
  });
});

describe("filling", () => {
  const times = Array.from({ length: 3 * TIME_BLOCK_SIZE }, (_, n) => timeOf(n));
  const blockOf = (accountId: string, block: number) => ({
    account_id: accountId,
    block,
    earliest: times[block * TIME_BLOCK_SIZE],
    latest: times[(block + 1) * TIME_BLOCK_SIZE - 1],
  });

  test("fills the complete blocks of every account, once", async () => {
    await insertChain(ACCOUNT, times);
    await insertChain(NEIGHBOUR, times.slice(0, 2 * TIME_BLOCK_SIZE - 1));
    await Promise.all([fillAll(), fillSome(openLedger(database).database, "", EVERYTHING)]);
    expect(await filled()).toEqual([
      ...[0, 1, 2].map((block) => blockOf(ACCOUNT, block)),
      blockOf(NEIGHBOUR, 0),
    ]);
  });

  test("leaves no gap", async () => {
    await insertChain(ACCOUNT, times);
    await ledger.database.run(fillTimeBlocks, [ACCOUNT, "1", "3"]);
    expect(await filled()).toEqual([]);
  });

  test("continues after the filled blocks in the background, until it is stopped", async () => {
    await insertChain(ACCOUNT, times);
    await ledger.database.run(fillTimeBlocks, [ACCOUNT, "0", "1"]);
    const log = createLog({ service: "test", level: "error" });
    const failures = { inc: () => {} };
    const filler = startTimeBlockFiller({ database: ledger.database, failures, log });
    await expect.poll(filled, { timeout: 10_000 }).toHaveLength(3);
    await filler.stop();
    expect(await filled()).toEqual([0, 1, 2].map((block) => blockOf(ACCOUNT, block)));
  });
});

describe("verification", () => {
  const verify = async () =>
    ledger.client.verifyChain({ accountId: ACCOUNT }).then(({ valid, firstInvalid }) => ({
      valid,
      at: Number(firstInvalid?.sequenceNumber ?? 0),
      reason: firstInvalid?.reason,
    }));

  beforeEach(async () => {
    // Three complete blocks and some.
    for (let times = 0; times < 4; times += 1) {
      await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, 800)] });
    }
    await fillAll();
  });

  test.each([
    ["all of them are there", "SELECT", true, 0],
    ["none is filled yet", "DELETE FROM ledger.time_blocks", true, 0],
    ["the last one is not filled yet", "DELETE FROM ledger.time_blocks WHERE block = 2", true, 0],
    [
      "one hides what occurred early",
      "UPDATE ledger.time_blocks SET earliest = 'x' WHERE block = 1",
      false,
      1_025,
    ],
    [
      "one hides what occurred late",
      "UPDATE ledger.time_blocks SET latest = '' WHERE block = 2",
      false,
      2_049,
    ],
    ["one between others is gone", "DELETE FROM ledger.time_blocks WHERE block = 1", false, 1_025],
    ["the first is gone", "DELETE FROM ledger.time_blocks WHERE block = 0", false, 1],
    ["one was moved", "UPDATE ledger.time_blocks SET block = 9 WHERE block = 2", false, 2_049],
  ])("%s", async (_, text, valid, at) => {
    expect(await filled()).toHaveLength(3);
    await database.query(text);
    const reason = valid ? undefined : InvalidReason.DIGEST_MISMATCH;
    expect(await verify()).toEqual({ valid, at, reason });
  });
});
