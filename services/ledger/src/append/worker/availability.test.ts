// Guarantee: the measured share of unavailable accounts is 0 while every server answers, that of the shards
// of a server that is away, and 1 if no server answers, whether tables are distributed or not.

import type { Database, Pool } from "@annals/postgres";
import { expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../../testing/database.ts";
import { Availability } from "./availability.ts";

/** Two servers, whose shards are listed as Citus would. */
const SERVERS = [
  { shards: 24, account_id: "probe_1" },
  { shards: 8, account_id: "probe_2" },
];

async function begin() {
  const pool = openPool((await newLedgerDatabase()).url);
  const away = new Set<string>();
  const shares: number[] = [];
  const run = async (name: string, params: readonly unknown[]): Promise<object[] | undefined> => {
    if (name.startsWith("postgres.")) return [{ exists: true }];
    if (name === "ledger.list-servers" && away.size === 0) return SERVERS;
    const [ids] = params;
    if (name === "ledger.list-servers" || (Array.isArray(ids) && away.has(String(ids[0]))))
      throw new Error("a server is away");
    return undefined;
  };
  const distributed: Database = {
    run: async (statement, params) =>
      ((await run(statement.name, params)) as never) ?? pool.run(statement, params),
  };
  const unavailable = (share: number): void => void shares.push(share);
  return { away, distributed, pool, shares, unavailable };
}

test("the share is that of the shards whose server is away", async () => {
  const { away, distributed, shares, unavailable } = await begin();
  const availability = new Availability({ database: distributed, unavailable });
  await availability.run();
  away.add("probe_2");
  await availability.run();
  away.add("probe_1");
  await availability.run();
  away.clear();
  await availability.run();
  expect(shares).toStrictEqual([0, 0.25, 1, 0]);
});

test("on one server the share is 0, and 1 while it does not answer", async () => {
  const { pool, shares, unavailable } = await begin();
  let isAway = false;
  const run: Pool["run"] = (...given) =>
    isAway ? Promise.reject(new Error("the server is away")) : pool.run(...given);
  const availability = new Availability({ database: { run }, unavailable });
  await availability.run();
  isAway = true;
  await availability.run();
  expect(shares).toStrictEqual([0, 1]);
});
