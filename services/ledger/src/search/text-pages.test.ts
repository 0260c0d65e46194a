// Guarantee: a page of a list by a text ends with the event that reaches a number of bytes of parts, and the
// next one begins behind it. What other filters leave out, and parts that are not read, count no bytes.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newLedgerDatabase } from "../testing/database.ts";
import { eventsJsonOf, openLedger } from "../testing/test-ledger.ts";

const RECEIVED = "2026-05-10T11:59:59.000000Z";
const requestSha256 = new Uint8Array(32);

const SIZE = 1_000;
const COUNT = 40;
const account = "acct_pages";
/** Actor and target are `{}`, as is what is not given. */
const PART_BYTES = SIZE + 4 * 2;

let database: TestDatabase;
beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  const none = [undefined, undefined, undefined, undefined, undefined] as const;
  const { client } = openLedger(database, ...none, afterAll);
  const long = "x".repeat(SIZE - '{"t":""}'.length);
  const events = Array.from({ length: COUNT }, (_, n) => ({
    action: n === COUNT - 1 ? "needle" : "a",
    occurred_at: "2026-01-01T00:00:00Z",
    context: { t: long },
  }));
  const eventsJson = eventsJsonOf(events);
  const append = { accountId: account, receivedAt: RECEIVED, requestSha256, eventsJson };
  await client.createEvents({ appends: [append] });
});

/** The pages of a list of what one event has, by where each ends. */
async function pagesOf(textBytes: number, more: object = {}) {
  const bounds = { rows: 20_000, bytes: 1_000_000, textBytes };
  const statements: number[] = [];
  const watching = (given: Pool): Pool => ({
    ...given,
    run: (statement, params) => {
      const running = given.run(statement, params);
      if (statement.name === "ledger.find-text")
        void running.then(([row]) =>
          statements.push(Number((row as { readonly bytes?: unknown } | undefined)?.bytes)),
        );
      return running;
    },
  });
  const { client } = openLedger(database, undefined, watching, false, bounds);
  const ends: number[] = [];
  const found: number[] = [];
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const filter: object = { texts: ["needle"], afterSequence: after, ...more };
    const request = { accountId: account, filter, ascending: true, limit: 100 };
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const page = await client.listEvents(request);
    found.push(...page.events.map(({ sequenceNumber }) => Number(sequenceNumber)));
    after = page.nextAfter;
    if (after !== undefined) ends.push(Number(after));
  }
  return { ends, found, statements };
}

test("a page ends with the event that reaches its bytes, and the next one begins behind it", async () => {
  const ten = await pagesOf(10 * PART_BYTES);
  expect(ten).toMatchObject({ ends: [10, 20, 30], found: [COUNT] });
  const more = await pagesOf(10 * PART_BYTES + 1);
  expect(more).toMatchObject({ ends: [11, 22, 33], found: [COUNT] });
  const all = await pagesOf(Infinity);
  expect(all).toMatchObject({ ends: [], found: [COUNT] });
  expect(Math.max(...ten.statements)).toBe(10 * PART_BYTES);
  expect(Math.max(...all.statements)).toBe(COUNT * PART_BYTES);
});

test("a page has one event at least", async () => {
  const { ends, found } = await pagesOf(1);
  expect(ends).toEqual(Array.from({ length: COUNT - 1 }, (_, at) => at + 1));
  expect(found).toEqual([COUNT]);
});

test("a page counts only what other filters leave", async () => {
  const { ends, found, statements } = await pagesOf(10 * PART_BYTES, { actions: ["needle"] });
  expect({ ends, found }).toEqual({ ends: [], found: [COUNT] });
  expect(Math.max(...statements)).toBe(PART_BYTES);
});

test("a page of a client reads four mebibytes, in statements of one", async () => {
  const { client } = openLedger(database);
  const size = 100_000;
  const context = { t: "x".repeat(size - '{"t":""}'.length) };
  const eventsJson = eventsJsonOf(
    Array.from({ length: 45 }, () => ({ action: "a", occurred_at: RECEIVED, context })),
  );
  const accountId = "acct_large";
  const append = { accountId, receivedAt: RECEIVED, requestSha256, eventsJson };
  await client.createEvents({ appends: [append] });
  const filter: object = { texts: ["needle"] };
  const request = { accountId, filter, ascending: true, limit: 100 };
  const { events, nextAfter } = await client.listEvents(request);
  expect({ events, nextAfter }).toEqual({
    events: [],
    nextAfter: BigInt(Math.ceil((4 * 1024 * 1024) / (size + 8))),
  });
});
