// Guarantee: a cluster whose servers are restored one by one to one restore point (docs/scaling.md) has every
// event that was acknowledged before the point, and none that was sent after it. Every chain verifies, and
// grows.

import { HttpClient, ownerOf } from "@annals/testing";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Backups } from "../system/restored-system.ts";
import { storedOf } from "../system/flowing-loads.ts";
import { allServing, startTestbed } from "../system/testbed.ts";
import { type Node, runOn, startRestored } from "./cluster.ts";
import { accountsOf, begin, type CitusBed, startCitusBed } from "./testbed.ts";

const DATABASE = "annals";
const POINT = "before_the_change";

let citus: CitusBed;

beforeAll(async () => {
  citus = await startCitusBed();
});
afterAll(() => citus?.stop());

/** Archives the log of a node from now on, and copies its files. */
async function backUp({ stack, url }: Node): Promise<{ backups: Backups; base: string }> {
  const owner = ownerOf(url);
  const backups = await Backups.open({ stack, owner });
  onTestFinished(async () => {
    await owner.close();
    backups.remove();
  });
  return { backups, base: await backups.base() };
}

test("servers that are restored to one restore point have what was acknowledged before it", async () => {
  const { bed, nodes, run } = citus;
  const copies = [];
  for (const node of nodes) copies.push(await backUp(node));
  await allServing(bed.stack);
  const accounts = [
    ...(await accountsOf(citus, nodes[1]?.port)),
    ...(await accountsOf(citus, nodes[2]?.port)),
  ];
  const loads = await begin(accounts);
  for (const load of loads) await load.stop();
  const before = loads.map((load) => storedOf(load).length);
  await run(`SELECT citus_create_restore_point('${POINT}')`);
  const later = await begin(accounts);
  for (const load of later) await load.stop();
  for (const { backups } of copies) await backups.archived();

  const restored: Node[] = [];
  onTestFinished(async () => {
    for (const node of restored) await node.stop();
  });
  for (const { backups, base } of copies) {
    const dataDir = await backups.restored(base, { point: POINT });
    restored.push(await startRestored(process.env["CITUS_ROOT"] ?? "", dataDir));
  }
  // The servers have other addresses than those that they were copied from.
  const [coordinator] = restored as [Node];
  for (const [at, { port }] of restored.entries())
    await runOn(
      coordinator,
      DATABASE,
      `SELECT citus_update_node(nodeid, '127.0.0.1', ${port}) FROM pg_dist_node
       WHERE nodeport = ${nodes[at]?.port}`,
    );
  const again = await startTestbed({
    databaseUrl: coordinator.url,
    isMigrated: true,
    // The log goes on under the key that has signed it.
    env: { keys: { ANNALS_LOG_KEY_FILE: join(bed.stack.dataDir, "log-key") } },
  });
  onTestFinished(() => again.stop());
  for (const [at, { key }] of accounts.entries()) {
    const client = new HttpClient(again.stack.baseUrls[0] ?? "", key);
    const verified = await client.get("/v1/verify");
    expect(verified.body.data).toMatchObject({ valid: true, checked: before[at] });
    expect((await client.post("/v1/events", { action: "after.restore" })).status).toBe(201);
    client.close();
  }
});
