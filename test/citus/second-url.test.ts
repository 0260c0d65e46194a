// Guarantee: a ledger whose database URL names a worker serves every account, also those of the other worker:
// appends, lists, verification, usage and webhooks, beside a ledger at the coordinator. It closes the epochs
// of the log where no other ledger does, and reads what the other has closed.

import { eventually, HttpClient } from "@annals/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { untilCovered } from "../system/covered.ts";
import { processesOf, retryFaults } from "../system/testbed.ts";
import { type CitusBed, portOf, startCitusBed } from "./testbed.ts";

const ACCOUNTS = 6;
const EVENTS = 20;

let citus: CitusBed;

beforeAll(async () => {
  const env = { ledger: { ANNALS_LOG_EPOCH_S: "1" } };
  citus = await startCitusBed({ replicas: { ledger: 1 }, env });
});
afterAll(() => citus?.stop());

test("a ledger at a worker serves the accounts of every worker", async () => {
  const { bed, nodes, urlOf } = citus;
  await bed.stack.addReplica("ledger", {
    ANNALS_DATABASE_URL: urlOf(nodes[1]!),
    ANNALS_LOG_EPOCH_S: "1",
  });
  const atWorker = processesOf(bed.stack, "ledger").at(-1);
  const { baseUrl = "" } = await bed.stack.addReplica("gateway", {
    ANNALS_LEDGER_ADDRESS: `ipv4:${atWorker?.rpcAddress}`,
  });
  const servers = new Set<number>();
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = await bed.account();
    servers.add(await portOf(citus, account.accountId));
    const client = new HttpClient(baseUrl, account.key);
    // Writers by both ledgers.
    const load = account.load({ clients: [client, ...account.clients] });
    for (let event = 0; event < EVENTS; event += 1) await load.one();
    expect(retryFaults(await load.retryUnacknowledged(), await account.chain())).toStrictEqual([]);
    expect(await account.audit(load.appends)).toStrictEqual([]);
    const { body } = await client.get("/v1/events?limit=100");
    expect(body.data).toHaveLength(EVENTS);
    const verified = await client.get("/v1/verify");
    expect(verified.body.data).toMatchObject({ valid: true, checked: EVENTS });
    await untilCovered(client, EVENTS);
    expect((await client.get("/v1/log/checkpoint")).status).toBe(200);
    client.close();
  }
  // Without both the test says little.
  expect(servers.size).toBe(2);
  await eventually("the ledger at the worker is ready", async () => {
    return (await fetch(`${atWorker?.adminUrl}/readyz`)).ok;
  });
  // Its claim on the epochs lapses.
  const [other] = processesOf(bed.stack, "ledger");
  expect(other?.kill("SIGSTOP")).toBe(true);
  onTestFinished(() => void other?.kill("SIGCONT"));
  const client = new HttpClient(baseUrl, bed.key);
  expect((await client.post("/v1/events", { action: "by.one.ledger" })).status).toBe(201);
  await untilCovered(client, 1);
  client.close();
});
