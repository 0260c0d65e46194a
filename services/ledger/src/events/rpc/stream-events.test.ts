// Guarantees: a stream of events gives every event once and in order across its pages, in either format; a
// format that is not known is refused; and a statement reads no more events than fit into 1 MiB.

import type { Pool } from "@annals/postgres";
import { RecordFormat } from "@annals/proto/ledger";
import { expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { appendOf, eventOf, eventsJsonOf, openLedger } from "../../testing/test-ledger.ts";

const LARGE = 120;
const SMALL = 700;
const LARGE_TEXT = "x".repeat(50_000);

async function streamed(format: RecordFormat, numberOf: (record: string) => number) {
  const sizes: number[] = [];
  const watching = (pool: Pool): Pool => ({
    ...pool,
    run: async (statement, params) => {
      const rows = await pool.run(statement, params);
      if (statement.name === "ledger.stream-events") sizes.push(rows.length);
      return rows;
    },
  });
  const { client } = openLedger(await newLedgerDatabase(), undefined, watching);
  const accountId = newAccountId();
  const large = appendOf(accountId);
  const event = eventOf({ context: { text: LARGE_TEXT } });
  const appends = [
    { ...large, eventsJson: eventsJsonOf(Array.from({ length: LARGE }, () => event)) },
    appendOf(accountId, SMALL),
  ];
  for (const append of appends) await client.createEvents({ appends: [append] });
  const numbers: number[] = [];
  for await (const { text } of client.streamEvents({ accountId, format })) {
    const records = Buffer.from(text).toString().split(/\r?\n/).slice(0, -1);
    numbers.push(...records.map(numberOf));
  }
  return { numbers, sizes };
}

test.each([
  ["JSON Lines", RecordFormat.JSONL, (line: string) => JSON.parse(line).sequence_number],
  ["CSV", RecordFormat.CSV, (record: string) => Number(record.split(",")[0])],
])("pages end at 1 MiB or 200 events, as %s", async (_, format, numberOf) => {
  const { numbers, sizes } = await streamed(format, numberOf);
  const all = Array.from({ length: LARGE + SMALL }, (__, at) => at + 1);
  expect(numbers).toStrictEqual(all);
  // Of the large ones 21 reach 1 MiB. The last statement finds the end.
  const large = [21, 21, 21, 21, 21];
  expect(sizes).toStrictEqual([...large, 200, 200, 200, LARGE + SMALL - 5 * 21 - 600]);
});

test("a format that is not known is refused", async () => {
  const refused = streamed(RecordFormat.UNSPECIFIED, Number);
  await expect(refused).rejects.toThrow("[invalid_argument] format: is not known");
});
