// Guarantee: each complete chunk is indexed once, oldest first, and sealed with 15 others, by any number of
// workers, account by account in turn; the lag says what is left.

import { createLog, REST_MS, startLoop } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { CHUNK_SIZE } from "../rules/chunk.ts";
import { indexSegment } from "../store/index-segment.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { indexAll, insertChain, received, timeOf } from "../../testing/index-fixtures.ts";
import { GrownChains } from "../../append/grown-chains.ts";
import { entriesOfBlocks, entriesOfEvents, SEALED } from "../../testing/segment-fixtures.ts";
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

const segments = () =>
  database.query(
    `SELECT account_id, level, base::int, earliest, latest, first_received, last_received FROM ledger.segments
     ORDER BY account_id, base`,
  );

const segmentOf = (accountId: string, base: number, level = 0) => ({
  account_id: accountId,
  level,
  base,
  earliest: timeOf(base),
  latest: timeOf(base + (level === 1 ? SEALED : CHUNK_SIZE) - 1),
  first_received: received(base),
  last_received: received(base + (level === 1 ? SEALED : CHUNK_SIZE) - 1),
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
    await insertChain(database, ACCOUNT, 3 * CHUNK_SIZE);
    await insertChain(database, NEIGHBOUR, 2 * CHUNK_SIZE - 1);
    const others = [openLedger(database), openLedger(database)];
    await Promise.all([ledger, ...others].map((one) => indexAll(one.database)));
    await indexAll(ledger.database);
    const expected = [0, 1, 2].map((chunk) => segmentOf(ACCOUNT, chunk * CHUNK_SIZE));
    expect(await segments()).toEqual([...expected, segmentOf(NEIGHBOUR, 0)]);
    expect(await entriesOfBlocks(database, ACCOUNT)).toEqual(
      await entriesOfEvents(database, ACCOUNT),
    );
  });

  test("seals what is complete, once, by workers that race, and goes on behind it", async () => {
    await insertChain(database, ACCOUNT, SEALED + 2 * CHUNK_SIZE);
    const others = [openLedger(database), openLedger(database)];
    await Promise.all([ledger, ...others].map((one) => indexAll(one.database)));
    await indexAll(ledger.database);
    const fresh = [0, 1].map((chunk) => segmentOf(ACCOUNT, SEALED + chunk * CHUNK_SIZE));
    const all = await segments();
    expect(all.filter(({ level }) => level === 1)).toEqual([segmentOf(ACCOUNT, 0, 1)]);
    expect(all.slice(-2)).toEqual(fresh);
    expect(all).toHaveLength(1 + 18);
    expect(await entriesOfBlocks(database, ACCOUNT)).toEqual(
      await entriesOfEvents(database, ACCOUNT),
    );
  });

  test("leaves no gap, and nothing of a chunk with a missing event", async () => {
    await insertChain(database, ACCOUNT, 3 * CHUNK_SIZE);
    await ledger.database.run(indexSegment, [ACCOUNT, CHUNK_SIZE]);
    await database.query("DELETE FROM ledger.events WHERE sequence_number = 77");
    expect(await newIndex().index.run(NEVER)).toBe(REST_MS);
    expect(await segments()).toEqual([]);
    expect(await database.query("SELECT FROM ledger.blocks")).toEqual([]);
  });

  test("gives every account its turn, and reports what is left", async () => {
    await insertChain(database, ACCOUNT, 9 * CHUNK_SIZE);
    await insertChain(database, NEIGHBOUR, CHUNK_SIZE);
    const { index, lags } = newIndex();
    expect(await index.run(NEVER)).toBe(0);
    expect(await segments()).toHaveLength(8 + 1);
    expect(await index.run(NEVER)).toBe(DELAY_MS);
    expect(await segments()).toHaveLength(9 + 1);
    expect(lags).toEqual([CHUNK_SIZE, 0]);
  });

  test("of an account fails alone where it cannot be done, each time", async () => {
    await insertChain(database, ACCOUNT, CHUNK_SIZE);
    await insertChain(database, NEIGHBOUR, CHUNK_SIZE);
    const run: Pool["run"] = (given, params) =>
      given.name === "ledger.index-segment" && params[0] === ACCOUNT
        ? Promise.reject(new Error("it cannot be read"))
        : ledger.database.run(given, params);
    const { index, lags } = newIndex({ run });
    await expect(index.run(NEVER)).rejects.toThrow("cannot be read");
    await expect(index.run(NEVER)).rejects.toThrow("cannot be read");
    expect(await segments()).toEqual([segmentOf(NEIGHBOUR, 0)]);
    expect(lags).toEqual([CHUNK_SIZE, CHUNK_SIZE]);
  });

  test("of a value that is too long for a key: a list finds it", async () => {
    await insertChain(database, ACCOUNT, CHUNK_SIZE);
    const text = Array.from({ length: 8_000 }, () => Math.random().toString(36)).join("");
    await database.query("UPDATE ledger.events SET actor_id = $1 WHERE sequence_number IN (7, 9)", [
      text,
    ]);
    await database.query(
      "UPDATE ledger.events SET actor_id = $1 || 'x' WHERE sequence_number = 9",
      [text],
    );
    await indexAll(ledger.database);
    const numbersBy = async (actorIds: string[]) => {
      const request = { accountId: ACCOUNT, filter: { actorIds }, ascending: true, limit: 3 };
      const { events } = await ledger.client.listEvents(request);
      return events.map(({ sequenceNumber }) => Number(sequenceNumber));
    };
    expect(await numbersBy([text])).toEqual([7]);
    expect(await numbersBy([text, "u_1"])).toEqual([1, 7, 51]);
  });

  test("goes on with the accounts of the last list if it cannot read another", async () => {
    await insertChain(database, ACCOUNT, CHUNK_SIZE);
    await insertChain(database, NEIGHBOUR, CHUNK_SIZE);
    let isAway = false;
    const run: Pool["run"] = (given, params) =>
      isAway && (given.route === "all accounts, read" || params[0] === ACCOUNT)
        ? Promise.reject(new Error("a server is away"))
        : ledger.database.run(given, params);
    const { index } = newIndex({ run });
    await index.run(NEVER);
    // This list says that nothing is left to do.
    await index.run(NEVER);
    await database.query("DELETE FROM ledger.segments; DELETE FROM ledger.blocks");
    isAway = true;
    await expect(index.run(NEVER)).rejects.toThrow("away");
    expect(await segments()).toEqual([segmentOf(NEIGHBOUR, 0)]);
  });

  test("of a chunk that this process has filled waits for no list", async () => {
    await insertChain(database, ACCOUNT, CHUNK_SIZE);
    await insertChain(database, NEIGHBOUR, CHUNK_SIZE);
    const run: Pool["run"] = (given, params) =>
      given.route === "all accounts, read"
        ? Promise.reject(new Error("a server is away"))
        : ledger.database.run(given, params);
    const { grown, index } = newIndex({ run });
    grown.add(NEIGHBOUR, 1, CHUNK_SIZE);
    await expect(index.run(NEVER)).rejects.toThrow("away");
    expect(await segments()).toEqual([segmentOf(NEIGHBOUR, 0)]);
  });

  test("goes on in the background, until it is stopped", async () => {
    await insertChain(database, ACCOUNT, 2 * CHUNK_SIZE);
    const log = createLog({ service: "test", level: "error" });
    const { index } = newIndex();
    const options = { name: "filter_index", failures: { inc: () => {} }, log, delayMs: DELAY_MS };
    const loop = startLoop({ ...options, run: (signal) => index.run(signal) });
    await expect.poll(segments, { timeout: 10_000 }).toHaveLength(2);
    await loop.stop();
  });
});
