// Guarantee: a page of a list ends after a bounded number of rows read, wherever its filter excludes them,
// and after a bounded number of bytes; what the page says goes on exactly there. A chunk whose times cannot
// match is not read, wherever it lies. The numbers of rows are those of the ranges and arrays that
// statements get.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import { CHUNK_SIZE } from "./rules/chunk.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import { appendAll, indexAll, type Sent, timeOf } from "../testing/index-fixtures.ts";
import { appendOf, eventOf, eventsJsonOf, openLedger } from "../testing/test-ledger.ts";
import type { PageBounds } from "./read-page.ts";

const ACCOUNT = "acct_1";
const CHUNKS = 3;
const EVENTS = CHUNKS * CHUNK_SIZE + 100;
/** Events before those of the actor. */
const ACTIONS = 100;

/** The index finds the events of the actor in three chunks, and none of them occurred then. */
const NOTHING = {
  actorIds: ["u_1"],
  occurredFrom: timeOf(30 * 86_400),
  occurredTo: timeOf(60 * 86_400),
};
const BOUNDS: PageBounds = { rows: 3_000, textBytes: Infinity, bytes: 10_000 };

let stored: TestDatabase;
const ends: (() => Promise<void>)[] = [];

const isRare = (index: number) => index % 500 === 499;

/** In the chunk in the middle nothing occurred in the second month. */
function sentOf(index: number): Sent {
  const isMiddle = Math.floor(index / CHUNK_SIZE) === 1;
  const day = isRare(index) ? 10 : index % 2 === 0 || isMiddle ? 0 : 90;
  const occurredAt = timeOf(day * 86_400);
  return index < ACTIONS
    ? { action: `zz.${index}`, occurredAt }
    : { action: "other", actorId: "u_1", occurredAt };
}

beforeAll(async () => {
  stored = await newLedgerDatabase((work) => ends.push(work));
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** A ledger whose pages have these bounds, and the rows that its searches read. */
function open(bounds: PageBounds) {
  const read = { rows: 0, chunks: new Set<number>(), parts: [] as number[] };
  const watching = (pool: Pool): Pool => ({
    ...pool,
    run: (statement, params) => {
      const [, from, to] = params;
      if (statement.name === "ledger.find-in-range") {
        read.rows += Number(to) - Number(from) + 1;
        read.chunks.add(Math.floor((Number(from) - 1) / CHUNK_SIZE));
      }
      if (/find-of-numbers/.test(statement.name)) read.rows += (from as unknown[]).length;
      const running = pool.run(statement, params);
      if (statement.name === "ledger.find-in-parts")
        void running.then(([row]) =>
          read.parts.push(Number((row as { readonly bytes?: unknown } | undefined)?.bytes)),
        );
      return running;
    },
  });
  const ledger = openLedger(stored, undefined, watching, false, bounds);
  return { ...ledger, read };
}

describe("a filter that selects nothing", () => {
  test("reads a bounded number of rows for a page, and is read to its end by further ones", async () => {
    const { client, database, read } = open(BOUNDS);
    await appendAll(
      openLedger(stored),
      ACCOUNT,
      Array.from({ length: EVENTS }, (_, index) => sentOf(index)),
    );
    await indexAll(database);
    for (const ascending of [true, false]) {
      let filter: object = NOTHING;
      let pages = 0;
      for (;;) {
        read.rows = 0;
        const request = { accountId: ACCOUNT, filter, ascending, limit: 100 };
        const { events, nextAfter } = await client.listEvents(request);
        expect(events).toHaveLength(0);
        expect(read.rows).toBeLessThan(2 * BOUNDS.rows);
        pages += 1;
        if (nextAfter === undefined) break;
        filter = { ...NOTHING, [ascending ? "afterSequence" : "beforeSequence"]: nextAfter };
      }
      expect(pages).toBeGreaterThan(3);
    }
    // Control: without the budget the first page reads every event.
    const unbounded = open({ ...BOUNDS, rows: Infinity });
    const request = { accountId: ACCOUNT, filter: NOTHING, ascending: true, limit: 100 };
    const { nextAfter } = await unbounded.client.listEvents(request);
    expect(nextAfter).toBeUndefined();
    expect(unbounded.read.rows).toBeGreaterThan(2 * CHUNK_SIZE - 2 * ACTIONS);
  });

  test("but a few events gives each of them once, wherever in a chunk a page ends", async () => {
    const { client } = open(BOUNDS);
    const times = { occurredFrom: timeOf(5 * 86_400), occurredTo: timeOf(15 * 86_400) };
    const all = Array.from({ length: EVENTS }, (_, index) => index);
    const expected = all.filter(isRare).map((index) => index + 1);
    for (const ascending of [true, false]) {
      let filter: object = { actorIds: ["u_1"], ...times };
      const numbers: number[] = [];
      const nexts: bigint[] = [];
      for (;;) {
        const request = { accountId: ACCOUNT, filter, ascending, limit: 100 };
        const { events, nextAfter } = await client.listEvents(request);
        numbers.push(...events.map(({ sequenceNumber }) => Number(sequenceNumber)));
        if (nextAfter === undefined) break;
        nexts.push(nextAfter);
        filter = { ...filter, [ascending ? "afterSequence" : "beforeSequence"]: nextAfter };
      }
      expect(numbers).toEqual(ascending ? expected : expected.toReversed());
      // Control: a page ended within a chunk.
      expect(nexts.some((end) => Number(end) % CHUNK_SIZE > 1)).toBe(true);
    }
  });

  test("by time reads no chunk in which nothing occurred then, also between others", async () => {
    const { client, read } = open({ ...BOUNDS, rows: Infinity });
    const filter = { occurredFrom: timeOf(30 * 86_400), occurredTo: timeOf(60 * 86_400) };
    const request = { accountId: ACCOUNT, filter, ascending: false, limit: 100 };
    expect((await client.listEvents(request)).events).toHaveLength(0);
    expect([...read.chunks].toSorted((one, other) => one - other)).toEqual([0, 2, 3]);
  });
});

test("a filter of what is in large parts reads a bounded number of bytes at a time, and for a page", async () => {
  const [accountId, size] = ["acct_parts", 100_000];
  const event = eventOf({ context: { text: "x".repeat(size) } });
  const eventsJson = eventsJsonOf(Array.from({ length: 40 }, () => event));
  const { client, read } = open({ ...BOUNDS, rows: 20_000 });
  await client.createEvents({ appends: [{ ...appendOf(accountId), eventsJson }] });
  const field = { name: "text", path: ["context", "text"], type: "string", values: ["y"] };
  let pages = 0;
  for (let after: bigint | undefined = 0n; after !== undefined; pages += 1) {
    const filter: object = { fields: [field], afterSequence: after };
    const request = { accountId, filter, ascending: true, limit: 100 };
    const { events, nextAfter } = await client.listEvents(request);
    expect(events).toEqual([]);
    after = nextAfter;
  }
  expect(Math.max(...read.parts)).toBeLessThan(1024 * 1024 + 2 * size);
  expect(pages).toBeGreaterThan(1);
});

describe("pages of large events", () => {
  const LARGE = 40;
  const large = "acct_large";
  const event = eventOf({ context: { text: "x".repeat(3_000) } });
  const eventsJson = eventsJsonOf(Array.from({ length: LARGE }, () => event));

  test.each([{}, { actions: ["thing.done"] }])(
    "end at their bytes with at least one event, and none is left out: %o",
    async (filter) => {
      const { client } = open(BOUNDS);
      const append = appendOf(`${large}${Object.keys(filter).length}`);
      await client.createEvents({ appends: [{ ...append, eventsJson }] });
      for (const bytes of [BOUNDS.bytes, 1]) {
        const bounded = open({ ...BOUNDS, bytes });
        const numbers: number[] = [];
        const sizes = new Set<number>();
        for (let after: bigint | undefined = 0n; after !== undefined;) {
          const page = await bounded.client.listEvents({
            accountId: append.accountId,
            filter: { ...filter, afterSequence: after },
            ascending: true,
            limit: 100,
          });
          sizes.add(page.events.length);
          numbers.push(...page.events.map(({ sequenceNumber }) => Number(sequenceNumber)));
          after = page.nextAfter;
        }
        expect(numbers).toEqual(Array.from({ length: LARGE }, (_, at) => at + 1));
        expect(Math.max(...sizes)).toBe(bytes === 1 ? 1 : 4);
      }
    },
  );
});
