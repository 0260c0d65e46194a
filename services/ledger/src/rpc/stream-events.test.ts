// Guarantees: a stream of events gives every event once and in order across its pages, as events and as
// lines; and where events are large, fewer are read at a time.

import type { Pool } from "@annals/postgres";
import { expect, test } from "vitest";
import { newAccountId, newLedgerDatabase } from "../append-fixtures.ts";
import { LIMIT } from "../store/list-events.ts";
import { appendOf, openLedger } from "../test-ledger.ts";

const LARGE = 120;
const SMALL = 700;
const LARGE_TEXT = "x".repeat(50_000);

async function streamed(asJsonLines: boolean) {
  const limits: unknown[] = [];
  const watching = (pool: Pool): Pool => ({
    ...pool,
    run: (statement, params) => {
      if (/stream-lines|list-events-ascending/.test(statement.name)) limits.push(params[LIMIT]);
      return pool.run(statement, params);
    },
  });
  const { client } = openLedger(await newLedgerDatabase(), undefined, watching);
  const accountId = newAccountId();
  const large = appendOf(accountId, LARGE);
  const context = Buffer.from(JSON.stringify({ text: LARGE_TEXT }));
  const appends = [
    { ...large, events: large.events.map((event) => ({ ...event, context })) },
    appendOf(accountId, SMALL),
  ];
  for (const append of appends) await client.createEvents({ appends: [append] });
  const numbers: number[] = [];
  for await (const { events, lines } of client.streamEvents({ accountId, asJsonLines })) {
    numbers.push(...events.map(({ sequenceNumber }) => Number(sequenceNumber)));
    const text = Buffer.from(lines?.text ?? "").toString();
    for (const line of text.split("\n").slice(0, -1)) {
      numbers.push((JSON.parse(line) as { sequence_number: number }).sequence_number);
    }
  }
  return { numbers, limits };
}

test.each([
  ["events", false],
  ["lines", true],
])("pages shrink over large events and grow over small ones, as %s", async (_, asJsonLines) => {
  const { numbers, limits } = await streamed(asJsonLines);
  const all = Array.from({ length: LARGE + SMALL }, (__, at) => at + 1);
  expect(numbers).toStrictEqual(all);
  // 120 large ones, of which a page has room for 20 when the first has shown their size; then 700 small ones.
  expect(limits).toStrictEqual([100, 20, 20, 200, 200, 200, 200]);
});
