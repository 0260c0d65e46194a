// Guarantees of a cluster whose shards move under load: no request fails while a worker that is added takes
// shards over, and what fails while an account gets a server of its own can be retried. Every chain verifies,
// and nothing is lost or doubled.

import { afterAll, beforeAll, expect, test } from "vitest";
import { report } from "../system/report.ts";
import { flowing } from "../system/flowing-loads.ts";
import {
  type Account,
  accountsOf,
  begin,
  checkAll,
  type CitusBed,
  FLOW_WITHIN_MS,
  outcomesOf,
  portOf,
  startCitusBed,
} from "./testbed.ts";

let citus: CitusBed;

beforeAll(async () => {
  citus = await startCitusBed();
});
afterAll(() => citus?.stop());

/** Accounts of both workers. */
const accountsOfEach = async (): Promise<Account[]> => [
  ...(await accountsOf(citus, citus.nodes[1]?.port)),
  ...(await accountsOf(citus, citus.nodes[2]?.port)),
];

test("a worker that is added takes shards over under load, and no request fails", async () => {
  const { run } = citus;
  const all = await accountsOfEach();
  const loads = await begin(all);
  const added = await citus.addNode();
  await run(`SELECT citus_add_node('127.0.0.1', ${added.port})`);
  const startedAt = performance.now();
  await run("SELECT rebalance_table_shards()");
  const [moved] = await run<{ shards: number }>(
    `SELECT count(*)::integer AS shards FROM pg_dist_shard_placement WHERE nodeport = ${added.port}`,
  );
  expect(moved?.shards).toBeGreaterThan(0);
  const tookMs = performance.now() - startedAt;
  await flowing(loads, FLOW_WITHIN_MS);
  for (const load of loads) await load.stop();
  expect(outcomesOf(loads).filter(({ stored }) => stored === undefined)).toStrictEqual([]);
  await checkAll(all, loads);
  report({
    "shards moved": moved?.shards ?? 0,
    "took ms": tookMs,
    stored: outcomesOf(loads).length,
  });
});

test("an account is placed on a server of its own under load, and what fails meanwhile can be retried", async () => {
  const { run } = citus;
  const all = await accountsOfEach();
  const loads = await begin(all);
  const [{ accountId }] = all as [Account];
  const added = await citus.addNode();
  await run(`SELECT citus_add_node('127.0.0.1', ${added.port})`);
  const [isolated] = await run<{ shard: string }>(
    `SELECT isolate_tenant_to_new_shard('ledger.heads', '${accountId}', 'CASCADE',
       shard_transfer_mode => 'block_writes') AS shard`,
  );
  const from = await portOf(citus, accountId);
  const shard = isolated?.shard ?? "";
  await run(
    `SELECT citus_move_shard_placement(${shard}, '127.0.0.1', ${from}, '127.0.0.1', ${added.port})`,
  );
  expect(await portOf(citus, accountId)).toBe(added.port);
  for (const account of all.slice(1))
    expect(await portOf(citus, account.accountId)).not.toBe(added.port);
  await flowing(loads, FLOW_WITHIN_MS);
  for (const load of loads) await load.stop();
  const failed = outcomesOf(loads).filter(({ stored }) => stored === undefined);
  for (const { refused } of failed) {
    expect(refused?.status).toBe(500);
    expect(refused?.headers["retry-after"]).toBeDefined();
  }
  await checkAll(all, loads);
  report({ failed: failed.length, stored: outcomesOf(loads).length });
});
