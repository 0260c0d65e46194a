// Guarantee: on a machine whose clock is wrong no command records anything or changes how long events are
// kept. It says so, and how far the clock is off. The database has another time.

import { systemClock } from "@annals/contract";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainOf, newAccountId } from "../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import { commandsOn } from "../testing/run-command.ts";
import { appendOf, openLedger, type TestLedger } from "../testing/test-ledger.ts";

/**
 * Shadows the time of PostgreSQL: what the address gives takes precedence over the settings of a connection.
 */
const YESTERDAY = `
CREATE SCHEMA moved;
CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS 'SELECT pg_catalog.clock_timestamp() - interval ''1 day''';
GRANT USAGE ON SCHEMA moved TO PUBLIC`;

let database: TestDatabase;
let client: TestLedger["client"];
let url: string;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  const clock = systemClock();
  ({ client } = openLedger(database, clock, undefined, false, undefined, undefined, afterAll));
  await database.query(YESTERDAY);
  const shadowed = new URL(database.url);
  shadowed.searchParams.set("options", "-c search_path=moved,pg_catalog");
  url = shadowed.href;
});

test.each([
  ["holds", "place", ["--from", "1"]],
  ["retention", "set", ["--days", "90"]],
])("%s %s", async (group, verb, words) => {
  const accountId = newAccountId();
  await client.createEvents({ appends: [appendOf(accountId)] });
  const refused = await commandsOn(url, group).run(verb, "--account", accountId, ...words);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toMatch(
    /the clock is 8\d{4}\.\d s ahead of the database's, more than 5 s: set the clock of this machine/u,
  );
  expect(await chainOf(database, accountId)).toHaveLength(1);
  const kept = "SELECT FROM ledger.lifecycles WHERE account_id = $1";
  expect(await database.query(kept, [accountId])).toEqual([]);
});
