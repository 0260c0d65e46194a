// Guarantee: what a caller has left stops in PostgreSQL, whichever read or verification it is, and what
// waits for its turn or for a connection waits no longer. An account whose long reads have all of its share
// goes on appending, and delays no other.

import { eventually, type TestDatabase } from "@annals/testing";
import { type Pool, statement } from "@annals/postgres";
import { RecordFormat } from "@annals/proto/ledger";
import { expect, test, vi } from "vitest";
import { eventId, ID_RANDOM_BYTES } from "../rules/event-id.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { appendOf, openLedger, type TestLedger } from "../../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const id = eventId(1, new Uint8Array(ID_RANDOM_BYTES));
type Client = TestLedger["client"];
type Call = (client: Client, signal: AbortSignal) => Promise<unknown>;

/** Before the timeout of statements, on however busy a machine. */
const STOPPED_WITHIN_MS = 5_000;

/** In place of the statement that it is named as. */
const slow = statement<[], never>("/* test.slow */ SELECT pg_sleep(60)", { route: "local" });

/** A ledger whose statements of one name take a minute. */
const slowLedger = (database: TestDatabase, name: string): TestLedger =>
  openLedger(database, undefined, (pool): Pool => ({
    ...pool,
    run: (given, params) => (given.name === name ? pool.run(slow, []) : pool.run(given, params)),
  }));

async function countSlow(database: TestDatabase): Promise<number> {
  const rows = await database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database()
     AND query LIKE '/* test.slow %' AND state = 'active'`,
  );
  return rows.length;
}

async function readAll(client: Client, signal: AbortSignal): Promise<void> {
  for await (const _ of client.streamEvents(
    { accountId: ACCOUNT, format: RecordFormat.JSONL },
    { signal },
  ));
}

const list =
  (filter: { readonly actions?: string[]; readonly actorIds?: string[] }): Call =>
  (client, signal) =>
    client.listEvents({ accountId: ACCOUNT, filter, limit: 10 }, { signal });

test.each<[statement: string, Call]>([
  ["ledger.get-event", (all, signal) => all.getEvent({ accountId: ACCOUNT, id }, { signal })],
  ["ledger.get-usage", (all, signal) => all.getUsage({ accountId: ACCOUNT }, { signal })],
  ["ledger.stream-events", readAll],
  ["ledger.list-events-descending", list({})],
  ["ledger.find-in-range", list({ actions: ["a"], actorIds: ["u"] })],
  ["ledger.list-events-of-numbers", list({ actions: ["thing.done"] })],
  ["ledger.check-block", (all, signal) => all.verifyChain({ accountId: ACCOUNT }, { signal })],
  [
    "ledger.find-altered-tables",
    (all, signal) => all.verifyChain({ accountId: ACCOUNT }, { signal }),
  ],
  [
    "ledger.get-head-sequences",
    (all, signal) => all.getPositions({ accountIds: [ACCOUNT] }, { signal }),
  ],
  [
    "ledger.list-outbox",
    (all, signal) => all.listOutbox({ accountId: ACCOUNT, limit: 1 }, { signal }),
  ],
])("%s", async (name, call) => {
  const database = await newLedgerDatabase();
  const { client } = slowLedger(database, name);
  await client.createEvents({ appends: [appendOf(ACCOUNT, 3)] });
  const left = new AbortController();
  const calls = Array.from({ length: 8 }, () => call(client, left.signal));
  const outcomes = Promise.allSettled(calls);
  await eventually("some run", async () => (await countSlow(database)) >= 1);
  const appends = [appendOf(ACCOUNT), appendOf("acct_2")];
  const { outcomes: stored } = await client.createEvents({ appends });
  expect(stored.map(({ outcome }) => outcome.case)).toEqual(["stored", "stored"]);
  left.abort();
  await vi.waitFor(async () => expect(await countSlow(database)).toBe(0), STOPPED_WITHIN_MS);
  for (const { status } of await outcomes) expect(status).toBe("rejected");
});
