// Guarantee: what may hide events from readers is not passed over: a list or a stream of all events refuses
// to answer with a hole, and verification refuses to judge tables that can show readers something else than
// they hold.

import { RecordFormat } from "@annals/proto/ledger";
import { ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { newLedgerDatabase } from "../testing/database.ts";
import { appendOf, openLedger, type TestLedger } from "../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const EVENTS = 60;
const HIDDEN = 30;

let database: TestDatabase;
let ledger: TestLedger;

beforeEach(async () => {
  database = await newLedgerDatabase();
  ledger = openLedger(database);
  await ledger.client.createEvents({ appends: [appendOf(ACCOUNT, EVENTS)] });
});

interface Page {
  readonly ascending: boolean;
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
}

async function list({ ascending, after, before, limit = 100 }: Page): Promise<number[]> {
  const filter = {
    ...(after !== undefined && { afterSequence: BigInt(after) }),
    ...(before !== undefined && { beforeSequence: BigInt(before) }),
  };
  const page = await ledger.client.listEvents({ accountId: ACCOUNT, filter, ascending, limit });
  return page.events.map(({ sequenceNumber }) => Number(sequenceNumber));
}

async function stream(): Promise<number> {
  let length = 0;
  const request = { accountId: ACCOUNT, format: RecordFormat.JSONL };
  for await (const { count } of ledger.client.streamEvents(request)) length += count;
  return length;
}

/** With the owner's rights, for the service's role alone. */
const hide = (condition: string) =>
  database.query(
    `ALTER TABLE ledger.events ENABLE ROW LEVEL SECURITY;
     CREATE POLICY hides ON ledger.events FOR SELECT TO annals_ledger USING (${condition})`,
  );

describe.runIf(ON_ONE_SERVER)("an event that is hidden from readers", () => {
  test.each<[string, Page]>([
    ["between others, ascending", { ascending: true }],
    ["between others, descending", { ascending: false }],
    ["first of an ascending page", { ascending: true, after: HIDDEN - 1 }],
    ["first of a descending page", { ascending: false, before: HIDDEN + 1 }],
  ])("%s", async (_, page) => {
    const length = (await list(page)).length;
    expect(length).toBeGreaterThan(HIDDEN - 2);
    await hide(`sequence_number <> ${HIDDEN}`);
    await expect(list(page)).rejects.toThrow("Internal error");
  });

  test("ends a stream", async () => {
    expect(await stream()).toBe(EVENTS);
    await hide(`sequence_number <> ${HIDDEN}`);
    await expect(stream()).rejects.toThrow("Internal error");
  });

  test("in pages without it is of no account", async () => {
    await hide(`sequence_number <> ${HIDDEN}`);
    expect(await list({ ascending: true, after: HIDDEN, limit: 3 })).toEqual([31, 32, 33]);
    expect(await list({ ascending: false, before: HIDDEN, limit: 3 })).toEqual([29, 28, 27]);
  });
});

test("pages at and beyond the ends of the chain are no holes", async () => {
  expect(await list({ ascending: true, after: EVENTS })).toEqual([]);
  expect(await list({ ascending: true, after: EVENTS + 5 })).toEqual([]);
  expect(await list({ ascending: false, before: EVENTS + 1, limit: 2 })).toEqual([60, 59]);
  expect(await list({ ascending: false, before: EVENTS + 9, limit: 2 })).toEqual([60, 59]);
  expect(await list({ ascending: false, before: 1 })).toEqual([]);
  expect(await list({ ascending: true, after: 10, before: 12 })).toEqual([11]);
});

describe.runIf(ON_ONE_SERVER)("verification refuses", () => {
  const verify = () => ledger.client.verifyChain({ accountId: ACCOUNT });

  test.each([
    ["row security", "ALTER TABLE ledger.events ENABLE ROW LEVEL SECURITY"],
    [
      "row security with a policy that shows everything to verification",
      `ALTER TABLE ledger.events ENABLE ROW LEVEL SECURITY;
       CREATE POLICY hides ON ledger.events TO annals_ledger USING (
         sequence_number <> 30 OR current_query() LIKE '%ledger.check-block%')`,
    ],
    [
      "a view in place of a table",
      `ALTER TABLE ledger.events RENAME TO true_events;
       CREATE VIEW ledger.events AS SELECT * FROM ledger.true_events;
       GRANT SELECT, INSERT ON ledger.events, ledger.true_events TO annals_ledger`,
    ],
    ["a rule", "CREATE RULE r AS ON INSERT TO ledger.blocks DO ALSO NOTHING"],
  ])("%s", async (_, change) => {
    expect(await verify()).toMatchObject({ valid: true });
    await database.query(change);
    await expect(verify()).rejects.toThrow("Internal error");
  });
});
