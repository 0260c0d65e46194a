// Guarantees: a stream of events gives every event once and in order across its pages, in either format; a
// format that is not known is refused; and where events are large, fewer are read at a time.

import type { Pool } from "@annals/postgres";
import { RecordFormat } from "@annals/proto/ledger";
import { expect, test } from "vitest";
import { newAccountId } from "../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import { appendOf, openLedger } from "../testing/test-ledger.ts";

const LARGE = 120;
const SMALL = 700;
const LARGE_TEXT = "x".repeat(50_000);

async function streamed(format: RecordFormat, numberOf: (record: string) => number) {
  const limits: unknown[] = [];
  const watching = (pool: Pool): Pool => ({
    ...pool,
    run: (statement, params) => {
      if (statement.name === "ledger.stream-events") limits.push(params.at(-1));
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
  for await (const { text } of client.streamEvents({ accountId, format })) {
    const records = Buffer.from(text).toString().split(/\r?\n/).slice(0, -1);
    numbers.push(...records.map(numberOf));
  }
  return { numbers, limits };
}

test.each([
  ["JSON Lines", RecordFormat.JSONL, (line: string) => JSON.parse(line).sequence_number],
  ["CSV", RecordFormat.CSV, (record: string) => Number(record.split(",")[0])],
])(
  "pages shrink over large events and grow over small ones, as %s",
  async (_, format, numberOf) => {
    const { numbers, limits } = await streamed(format, numberOf);
    const all = Array.from({ length: LARGE + SMALL }, (__, at) => at + 1);
    expect(numbers).toStrictEqual(all);
    // 120 large ones, of which a page has room for 20 when the first has shown their size; then 700 small.
    expect(limits).toStrictEqual([100, 20, 20, 200, 200, 200, 200]);
  },
);

test("a format that is not known is refused", async () => {
  const refused = streamed(RecordFormat.UNSPECIFIED, Number);
  await expect(refused).rejects.toThrow("[invalid_argument] format: is not known");
});
