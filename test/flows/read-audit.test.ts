// Guarantee: who reads events, lists and verifications of an account is in the system account's chain, by
// key, route and minute, with the number and the addresses of the reads, also if the ledger was away when
// the minute ended, and if the gateway was stopped in it. With ANNALS_AUDIT_READS=false it is not.

import { NOT_READS } from "@annals/gateway/src/register-routes.ts";
import { V1 } from "@annals/gateway/src/v1.ts";
import type { ServiceName, Stack } from "@annals/local";
import { eventually, HttpClient, newClient, newKey } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { printedBy } from "../command/type-line.ts";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";
import type { Entry } from "./audit-changes.ts";

const SYSTEM = "acct_system";
const READ = "annals.account.read";
/** A minute may just have begun. */
const WAIT_MS = 90_000;
const WITHOUT = ["nats", "export", "webhook-dispatcher"] as const;

let stack: Stack;
let operator: HttpClient;

beforeAll(async () => {
  const env = { gateway: { ANNALS_TRUSTED_PROXIES: "127.0.0.1" } };
  stack = await startConstellation({ shared: inject("stack"), env, without: WITHOUT });
  const added = await printedBy(stack, "accounts", "add-key", "--account", SYSTEM);
  operator = new HttpClient(stack.baseUrls[0] ?? "", /^key (\S+)$/m.exec(added)?.[1]);
});
afterAll(() => stack?.stop());

const processOf = (service: ServiceName) =>
  stack.processes.find((one) => one.service === service) ?? expect.fail(`no ${service}`);

async function readsOf(keyId: string): Promise<Entry[]> {
  const filter = `action=${READ}&actor_id=${keyId}`;
  const { status, body } = await operator.get(`/v1/events?limit=100&order=asc&${filter}`);
  expect(status).toBe(200);
  return body.data;
}

const sum = (entries: readonly Entry[], member: string): number =>
  entries.reduce((total, { metadata }) => total + metadata[member], 0);

async function restart(service: ServiceName): Promise<void> {
  const process = processOf(service);
  await process.stop();
  process.start();
  await process.waitReady();
}

test("every route that gives data away is counted, or records each file itself", () => {
  const reading = V1.filter(([method]) => method === "GET").map(([, , , name]) => name);
  for (const name of NOT_READS) expect(reading).toContain(name);
  expect([...NOT_READS].toSorted()).toEqual([
    "get-archive-events",
    "get-archive-evidence",
    "get-export-content",
    "get-usage",
  ]);
});

test("reads are recorded when the gateway stops in their minute, failed ones too, and writes are not", async () => {
  const account = await newClient(stack);
  const { data } = (await account.client.post("/v1/events", { action: "user.login" })).body;
  const from = (ip: string) => ({ headers: { "x-forwarded-for": ip } });
  await account.client.get("/v1/events?action=user.secret", from("192.0.2.7"));
  await account.client.get("/v1/events", from("2001:db8::7"));
  await account.client.get(`/v1/events/${data.id}`);
  await account.client.get("/v1/events/evt_0");
  await account.client.get("/v1/verify");
  await account.client.get("/v1/api-keys");
  await account.client.get("/v1/usage");
  await restart("gateway");
  const entries = await readsOf(account.keyId);
  const routes = new Set<string>(entries.map(({ metadata }) => metadata.route));
  expect([...routes].toSorted()).toEqual([
    "/v1/api-keys",
    "/v1/events",
    "/v1/events/:id",
    "/v1/verify",
  ]);
  const of = (route: string) => entries.filter(({ metadata }) => metadata.route === route);
  expect([sum(of("/v1/events"), "reads"), sum(of("/v1/events"), "failed")]).toEqual([2, 0]);
  expect([sum(of("/v1/events/:id"), "reads"), sum(of("/v1/events/:id"), "failed")]).toEqual([2, 1]);
  expect(of("/v1/events")[0]?.metadata.first_ip).toBe("192.0.2.7");
  expect(of("/v1/events").at(-1)?.metadata.last_ip).toBe("2001:db8::7");
  for (const { actor, context, target } of entries) {
    expect(actor).toEqual({ type: "api_key", id: account.keyId });
    expect(target).toEqual({ type: "account", id: account.accountId });
    expect(context).toMatchObject({ account_id: account.accountId, service: "gateway" });
  }
  expect(JSON.stringify(entries)).not.toContain("user.secret");
  expect((await account.client.get("/v1/events")).body.data).toHaveLength(1);
});

test("after a minute a ledger that was away gets them, each once, those of the system account's chain too", async () => {
  const key = await newKey(stack.databaseUrl, SYSTEM, ["events:read"]);
  const reader = new HttpClient(stack.baseUrls[0] ?? "", key.key);
  for (let n = 0; n < 3; n += 1) await reader.get("/v1/events");
  const account = await newClient(stack);
  const ledger = processOf("ledger");
  const gateway = processOf("gateway");
  await ledger.stop();
  // keys answers these, so that they are still to be recorded while the ledger is away.
  for (let n = 0; n < 5; n += 1) await account.client.get("/v1/api-keys");
  const failures = () =>
    metricOf(gateway.adminUrl, "annals_worker_failures_total", 'worker="read_audit"');
  const before = await failures();
  await eventually("it is tried", async () => (await failures()) >= before + 2, WAIT_MS);
  ledger.start();
  await ledger.waitReady();
  const found = async () => {
    const entries = await readsOf(key.keyId);
    return sum(entries, "reads") === 3 && entries;
  };
  const entries = await eventually("they are recorded", found, WAIT_MS);
  expect(entries[0]?.target).toEqual({ type: "account", id: SYSTEM });
  const ofAccount = async () => (await readsOf(account.keyId)).length > 0;
  await eventually("so are those of the account", ofAccount, WAIT_MS);
  await restart("gateway");
  expect(sum(await readsOf(key.keyId), "reads")).toBe(3);
  expect(sum(await readsOf(account.keyId), "reads")).toBe(5);
  expect(await metricOf(processOf("ledger").adminUrl, "annals_audit_refused_total")).toBe(0);
});

test("none are recorded where that is disabled", async () => {
  const env = { gateway: { ANNALS_AUDIT_READS: "false" } };
  const quiet = await startConstellation({ shared: inject("stack"), env, without: WITHOUT });
  try {
    const account = await newClient(quiet);
    await account.client.get("/v1/events");
    const gateway = quiet.processes.find(({ service }) => service === "gateway");
    await gateway?.stop();
    gateway?.start();
    await gateway?.waitReady();
    const key = await newKey(quiet.databaseUrl, SYSTEM, ["events:read"]);
    const reader = new HttpClient(quiet.baseUrls[0] ?? "", key.key);
    expect((await reader.get(`/v1/events?action=${READ}`)).body.data).toEqual([]);
  } finally {
    await quiet.stop();
  }
});
