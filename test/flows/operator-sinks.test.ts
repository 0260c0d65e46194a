// Guarantee: a sink of the operator is sent the events of every account, and one of the system account its
// changes alone. Its receiver may be private, where an account's may not. No account sees it, whatever it
// asks. The sinks are those of a file that the dispatcher reads at its start, so the system is the file's
// own.

import { CertificateAuthority } from "@annals/certificates";
import type { Stack } from "@annals/local";
import { eventually, type HttpClient, newClient, ownerOf, Subscriber } from "@annals/testing";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { SinkServer } from "../system/sinks-load.ts";

const SYSTEM = "acct_system";
const SECRET = "Bearer tip-top-secret";
const EVENTS = 5;
const PLANS = { plans: { all: { features_left_out: ["exports"] } }, default: "all" };

const folder = mkdtempDisposableSync(join(tmpdir(), "annals-operator-sinks-"));
const fileOf = (name: string, text: string): string => {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
};

let stack: Stack;
let servers: Record<"all" | "system", SinkServer>;
const clients: HttpClient[] = [];

beforeAll(async () => {
  const authority = await CertificateAuthority.create();
  servers = {
    all: new SinkServer(await Subscriber.start(authority)),
    system: new SinkServer(await Subscriber.start(authority)),
  };
  const key = fileOf("key", `${SECRET}\n`);
  const sinks = Object.entries(servers).map(([accounts, { subscriber }]) => ({
    name: `siem-${accounts}`,
    accounts,
    type: "http",
    config: { url: subscriber.url("sink") },
    config_files: { "headers.Authorization": key },
  }));
  stack = await startConstellation({
    shared: inject("stack"),
    without: ["export"],
    env: {
      // GET /v1/usage asks every service of a feature that the plan has.
      keys: { ANNALS_PLANS_FILE: fileOf("plans.json", JSON.stringify(PLANS)) },
      "webhook-dispatcher": {
        ANNALS_SINKS_FILE: fileOf("sinks.json", JSON.stringify({ sinks })),
        ANNALS_WEBHOOK_CA_FILE: fileOf("ca.pem", authority.cert),
      },
    },
  });
});
afterAll(async () => {
  for (const client of clients) client.close();
  for (const { subscriber } of Object.values(servers)) await subscriber.close();
  await stack.stop();
  folder.remove();
});

const rowsOf = async (accountId: string) => {
  const owner = ownerOf(stack.databaseUrl);
  const rows = await owner.query<{ id: string }>(
    "SELECT id FROM webhooks.sinks WHERE account_id = $1",
    [accountId],
  );
  await owner.close();
  return rows;
};

test("the events of each account arrive, and those of the system account where it alone is asked for", async () => {
  const keys: unknown[] = [];
  const { answer } = servers.all.subscriber;
  servers.all.subscriber.answer = (response, received, count) => {
    keys.push(received.headers["authorization"]);
    return answer(response, received, count);
  };
  const accounts = await Promise.all([newClient(stack), newClient(stack)]);
  clients.push(...accounts.map(({ client }) => client));
  for (const { client } of accounts) {
    const events = Array.from({ length: EVENTS }, () => ({ action: "invoice.created" }));
    expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
    const created = await client.post("/v1/api-keys", { name: "more", scopes: ["events:read"] });
    expect(created.status).toBe(201);
  }
  for (const { accountId } of accounts)
    expect(await servers.all.arrived(accountId, EVENTS)).toEqual([1, 2, 3, 4, 5]);
  await eventually("the changes of both accounts", () =>
    accounts.every(({ accountId }) =>
      servers.system.lines.some(({ context }) => context?.["account_id"] === accountId),
    ),
  );
  expect(new Set(servers.system.lines.map(({ chain }) => chain))).toEqual(new Set([SYSTEM]));
  expect(new Set(keys)).toEqual(new Set([SECRET]));
});

test("an account neither sees nor changes it, and cannot name its receiver", async () => {
  const { client, accountId } = await newClient(stack);
  clients.push(client);
  expect((await client.post("/v1/events", { action: "invoice.created" })).status).toBe(201);
  await servers.all.arrived(accountId, 1);
  expect((await client.get("/v1/sinks")).body.data).toEqual([]);
  expect((await client.get("/v1/usage")).body.data.sinks).toMatchObject({ used: 0 });
  const own = await client.post("/v1/sinks", {
    type: "http",
    config: { url: servers.all.subscriber.url("sink") },
  });
  expect([own.status, own.body.error.details[0].field]).toEqual([422, "config.url"]);
  const [row] = await rowsOf(accountId);
  const path = `/v1/sinks/${row?.id}`;
  const replay = { from_sequence_number: 1 };
  const asked = [
    client.get(path),
    client.get(`${path}/status`),
    client.send("PATCH", path, { body: { active: false } }),
    client.post(`${path}/test`),
    client.post(`${path}/replay`, replay),
    client.delete(path),
  ];
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 404));
  expect(await rowsOf(accountId)).toHaveLength(1);
});
