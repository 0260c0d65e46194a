// Guarantee: what the alerts are about raises them in a real Prometheus, and each clears when the
// cause is gone. No alert is raised without a cause. Every expression of every dashboard has a value, and a
// number, on an idle system and under load. Windows and `for` are shortened; promtool tests the real ones
// (deploy/prometheus/alerts.test.yml). Without a Prometheus on the PATH the test says so and proves nothing.

import { CertificateAuthority, certificateFiles } from "@annals/certificates";
import { eventually, ownerOf } from "@annals/testing";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import { dashboardExpressions, type Prometheus, startPrometheus } from "./prometheus.ts";

const DAY_MS = 86_400_000;
/** After which an export is failed: services/export/src/serve.ts. */
const EXPORT_ATTEMPTS = 10;
const NO_RECEIVER = "https://localhost:9/";

/** Debian's package `prometheus` has it. */
const isInstalled = !spawnSync("prometheus", ["--version"]).error;

let system: WebhookSystem;
let prometheus: Prometheus | undefined;
let client: Awaited<ReturnType<WebhookSystem["client"]>>;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  if (!isInstalled)
    return void process.stderr.write(
      "not run, there is no prometheus on the PATH: alerts.test.ts\n",
    );
  system = await startWebhookSystem(
    {},
    {},
    {
      ledger: { ANNALS_DATABASE_POOL_SIZE: "2" },
    },
  );
  prometheus = await startPrometheus(system.stack);
  client = await system.client();
  owner = ownerOf(system.stack.databaseUrl);
});
afterAll(async () => {
  if (!isInstalled) return;
  await owner.close();
  await system.stop();
});

const append = () => client.post("/v1/events", { action: "user.login" });

/** Sends requests, eight at a time, while the work is under way. */
async function whileSending(
  send: () => Promise<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  const senders = Array.from({ length: 8 }, async () => {
    while (!isOver) await send();
  });
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(senders);
  }
}

/** The expressions that have no value, or one that is no number. */
async function faultsOfDashboards({ query }: Prometheus): Promise<string[]> {
  const faults = dashboardExpressions().map(async ({ place, expression }) => {
    const samples = await query(expression);
    if (samples.length === 0) return `${place}: empty: ${expression}`;
    return samples.some(({ value }) => Number.isNaN(value)) ? `${place}: NaN: ${expression}` : [];
  });
  return (await Promise.all(faults)).flat();
}

/** A process that was late for a scrape has its values after the next. */
async function dashboardsHaveValues(given: Prometheus): Promise<void> {
  let faults: string[] = [];
  const without = async () => (faults = await faultsOfDashboards(given)).length === 0;
  await eventually("the dashboards have values", without).catch((error: unknown) => {
    throw new Error(faults.join("\n"), { cause: error });
  });
}

async function newWebhook(url: string): Promise<string> {
  const { body, status } = await client.post("/v1/webhooks", { url, events: ["*"] });
  expect(status).toBe(201);
  return body.data.id;
}

test("every expression of the dashboards has a value, idle and under load", async () => {
  if (!prometheus) return;
  const { query } = prometheus;
  await eventually("every process was scraped", async () => (await query("up == 1")).length === 5);
  await dashboardsHaveValues(prometheus);
  const subscriber = await system.subscriber();
  const webhook = await newWebhook(subscriber.url());
  await whileSending(append, async () => {
    expect((await client.get("/v1/verify")).status).toBe(200);
    expect((await client.post("/v1/exports", { format: "jsonl" })).status).toBe(201);
    await eventually(
      "the load shows in each part",
      async () => {
        const parts = [
          "rate(annals_append_group_size_sum[15s]) > 0",
          'rate(annals_webhook_attempt_duration_seconds_count{outcome="success"}[15s]) > 0',
          'annals_export_attempts_total{outcome="completed"} > 0',
          'annals_verifications_total{result="valid"} > 0',
          "rate(db_client_connection_wait_time_seconds_count[15s]) > 0",
        ];
        const found = await Promise.all(parts.map(query));
        return found.every((samples) => samples.length > 0);
      },
      60_000,
    );
    await dashboardsHaveValues(prometheus as Prometheus);
  });
  expect((await client.delete(`/v1/webhooks/${webhook}`)).status).toBe(204);
  const unexpected = (await prometheus.firing()).filter(
    (name) => !/^(SlowAppends|.*Burn.*|EventLoopBlocked)$/.test(name),
  );
  expect(unexpected).toStrictEqual([]);
});

test("a dead endpoint, a failed export, a broken chain and an expiring certificate", async () => {
  if (!prometheus) return;
  const { raised, cleared } = prometheus;
  const webhook = await newWebhook(NO_RECEIVER);
  const { body: stored } = await append();

  const [row] = await owner.query(
    "SELECT metadata FROM ledger.events WHERE account_id = $1 AND sequence_number = $2",
    [client.accountId, stored.data.sequence_number],
  );
  const setMetadata = (text: unknown) =>
    owner.query(
      "UPDATE ledger.events SET metadata = $3 WHERE account_id = $1 AND sequence_number = $2",
      [client.accountId, stored.data.sequence_number, text],
    );
  await setMetadata('{"forged":true}');
  expect((await client.get("/v1/verify")).body.data.valid).toBe(false);

  // A file is where the folder of the account's exports has to be.
  const other = await system.client();
  await other.post("/v1/events", { action: "user.login" });
  const folder = join(system.stack.dataDir, "exports", other.accountId);
  await mkdir(join(folder, ".."), { recursive: true });
  writeFileSync(folder, "");
  expect((await other.post("/v1/exports", { format: "jsonl" })).status).toBe(201);
  // Its next attempt is the last one.
  await owner.query("UPDATE exports.jobs SET attempts = $2 WHERE account_id = $1", [
    other.accountId,
    EXPORT_ATTEMPTS - 1,
  ]);

  const { cert, key } = certificateFiles(system.stack.certificates, "keys");
  const before = [readFileSync(cert), readFileSync(key)] as const;
  const files = [
    join(system.stack.certificates, "ca.pem"),
    join(system.stack.certificates, "ca-key.pem"),
  ];
  const [ca = "", caKey = ""] = files.map((file) => readFileSync(file, "utf8"));
  const authority = await CertificateAuthority.load({ cert: ca, key: caKey });
  const expiring = await authority.issue(["keys.annals.internal"], {
    until: new Date(Date.now() + 10 * DAY_MS),
  });
  writeFileSync(key, expiring.key);
  writeFileSync(cert, expiring.cert);

  await Promise.all(
    ["WebhooksFailing", "ExportFailed", "AChainIsBroken", "CertificateExpires"].map(raised),
  );

  expect((await client.delete(`/v1/webhooks/${webhook}`)).status).toBe(204);
  await setMetadata(row?.["metadata"]);
  rmSync(folder);
  writeFileSync(key, before[1]);
  writeFileSync(cert, before[0]);
  await Promise.all(
    ["WebhooksFailing", "ExportFailed", "AChainIsBroken", "CertificateExpires"].map(cleared),
  );
  expect((await client.get("/v1/verify")).body.data.valid).toBe(true);
});

test("a full pool, a stopped NATS and a stopped dispatcher", async () => {
  if (!prometheus) return;
  const { query, raised, cleared } = prometheus;
  await whileSending(append, async () => {
    const lock = new pg.Client({ connectionString: system.stack.databaseUrl });
    await lock.connect();
    await lock.query("BEGIN");
    await lock.query("LOCK TABLE ledger.heads, ledger.events IN ACCESS EXCLUSIVE MODE");
    // Lists do not share statements, as appends do.
    await whileSending(
      () => client.get("/v1/events"),
      async () => {
        try {
          await raised("PoolExhausted");
        } finally {
          await lock.end();
        }
      },
    );
    await cleared("PoolExhausted");

    const nats = system.processOf("nats");
    await nats.stop();
    await raised("NoticesAreDropped");
    nats.start();
    await nats.waitReady();
    await cleared("NoticesAreDropped");

    const dispatcher = system.processOf("webhook-dispatcher");
    await dispatcher.stop();
    // Its own metrics are gone. The ledger's say that notices wait.
    await eventually(
      "the ledger sees that notices wait",
      async () => (await query("annals_notices_oldest_pending_seconds > 3")).length > 0,
      60_000,
    );
    await raised("WebhookDispatcherStopped");
    dispatcher.start();
    await dispatcher.waitReady();
    await cleared("WebhookDispatcherStopped");
    const waiting = "annals_notices_oldest_pending_seconds > 3";
    await eventually("no notice waits", async () => (await query(waiting)).length === 0);
  });
  expect((await client.get("/v1/verify")).body.data.valid).toBe(true);
});
