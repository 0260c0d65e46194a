// Guarantee: a read about several accounts is one statement as long as it can be. If tables are distributed
// and a server is away, the rows of the other accounts are read, and the read says which accounts it lacks.
// If no server answers, it ends after a few statements. Work on accounts is done a few at once, and ends with
// the first failure.

import { lostServer } from "@annals/testing";
import { expect, test } from "vitest";
import { readAccounts, workOnEach } from "./distribution.ts";
import { type Database, statement } from "./statement.ts";
import { newDatabase, openPool } from "./testing/test-server.ts";

const ACCOUNTS = Array.from({ length: 45 }, (_, index) => `acct_${index}`);

const findStock = statement<[accountIds: readonly string[]], { readonly account_id: string }>(
  "/* shop.find-stock */ SELECT account_id FROM shop.stock WHERE account_id = ANY ($1::text[])",
  { route: "some accounts" },
);

async function newShop({ isDistributed }: { readonly isDistributed: boolean }) {
  const owner = await newDatabase();
  await owner.query("CREATE SCHEMA shop; CREATE TABLE shop.stock (account_id text PRIMARY KEY)");
  await owner.query("INSERT INTO shop.stock SELECT unnest($1::text[])", [ACCOUNTS]);
  const pool = openPool(owner.url);
  const lost = new Set<string>();
  const run = lostServer<Database["run"]>((...given) => pool.run(...given), lost);
  const asked: (readonly string[])[] = [];
  const database: Database = {
    run: (given, params) => {
      if (given.name === "shop.find-stock") asked.push(params[0] as readonly string[]);
      const asks = given.name.startsWith("postgres.");
      return asks && !isDistributed ? pool.run(given, params) : run(given, params);
    },
  };
  const read = () =>
    readAccounts(database, ACCOUNTS, {
      together: () => database.run(findStock, [ACCOUNTS]),
      each: (accountId) => database.run(findStock, [[accountId]]),
    });
  return { asked, lost, read };
}

test("accounts are read together", async () => {
  const { asked, read } = await newShop({ isDistributed: true });
  const { rows, ...result } = await read();
  expect(rows).toHaveLength(ACCOUNTS.length);
  expect(result).toStrictEqual({ failed: new Set() });
  expect(asked).toStrictEqual([ACCOUNTS]);
});

test("accounts whose server is away are missing, and named", async () => {
  const { lost, read } = await newShop({ isDistributed: true });
  const away = ["acct_3", "acct_40", "acct_41", "acct_42", "acct_43", "acct_44"];
  for (const accountId of away) lost.add(accountId);
  const { error, failed, rows } = await read();
  expect(rows.map((row) => row.account_id)).toStrictEqual(
    ACCOUNTS.filter((accountId) => !lost.has(accountId)),
  );
  expect(failed).toStrictEqual(lost);
  expect(error).toMatchObject({ message: "a server is away" });
});

test("if no server answers, the read fails after a few statements", async () => {
  const { asked, lost, read } = await newShop({ isDistributed: true });
  for (const accountId of ACCOUNTS) lost.add(accountId);
  await expect(read()).rejects.toThrow("a server is away");
  expect(asked).toHaveLength(21);
});

test("on one server the read fails at once", async () => {
  const { asked, lost, read } = await newShop({ isDistributed: false });
  lost.add("acct_3");
  await expect(read()).rejects.toThrow("a server is away");
  expect(asked).toHaveLength(1);
});

test("accounts are worked on a few at once, and the results are in their order", async () => {
  let [running, most] = [0, 0];
  const results = await workOnEach(ACCOUNTS, async (accountId) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return accountId;
  });
  expect(results).toStrictEqual(ACCOUNTS);
  expect(most).toBe(4);
});

test("after a failure no further account is begun, and those under way have ended", async () => {
  const [begun, ended]: [string[], string[]] = [[], []];
  const working = workOnEach(ACCOUNTS, async (accountId) => {
    begun.push(accountId);
    await Promise.resolve();
    ended.push(accountId);
    if (accountId === "acct_5") throw new Error("a server is away");
  });
  await expect(working).rejects.toThrow("a server is away");
  expect(begun.length).toBeLessThan(ACCOUNTS.length);
  expect(ended).toStrictEqual(begun);
});
