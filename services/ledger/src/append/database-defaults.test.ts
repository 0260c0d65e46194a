// Guarantee: appends of several replicas at once are all stored, to the same chains, whatever the database
// has as the default of a session: another isolation, read-only, a time limit. libs/postgres tests each
// setting.

import { expect, test } from "vitest";
import { append, chainOf, newAccountId, newQueue } from "../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../testing/database.ts";

const APPENDS = 60;

test.each([
  ["default_transaction_isolation", "'serializable'"],
  ["default_transaction_isolation", "'repeatable read'"],
  ["default_transaction_read_only", "on"],
  ["lock_timeout", "'1ms'"],
])(`${APPENDS} appends at once are stored where %s is %s`, async (setting, value) => {
  const database = await newLedgerDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
  const replicas = [newQueue(database.url), newQueue(database.url)];
  const accounts = [newAccountId(), newAccountId()];
  const sent = Array.from({ length: APPENDS }, async (_, at) =>
    replicas[at % 2]?.queue.submit(append(accounts[Math.floor(at / 2) % 2] ?? "")),
  );
  const settled = await Promise.allSettled(sent);
  expect(settled.filter(({ status }) => status === "rejected")).toStrictEqual([]);
  for (const account of accounts)
    expect(await chainOf(database, account)).toHaveLength(APPENDS / 2);
});
