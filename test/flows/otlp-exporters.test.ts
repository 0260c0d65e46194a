// Guarantee: the stock exporters of OpenTelemetry for Node.js, with the variables of docs/intake.md, store
// each record that has an id exactly once, in both encodings and compressed: while a gateway is killed,
// answers are lost on their way, and their key is refused for its rate limit. A record without the name of an
// event is refused by partial success, which they log, and costs no other.

import { eventually, newAccount, openProxy, ownerOf, type Proxy } from "@annals/testing";
import { diag, DiagLogLevel } from "@opentelemetry/api";
import { OTLPLogExporter as JsonExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";

/** Of each encoding. */
const RECORDS = inject("form").otlpExporters.records / 2;
const NAMELESS = 10;
const BATCH = Math.min(1_000, RECORDS / 25);
/** So small that every exporter is refused several times. */
const REQUESTS_PER_WINDOW = 3;
/** What is left of a window of 60 seconds that the test finds, so that no exporter waits for a minute. */
const LEFT_S = 1;
/** One answer of so many is lost. */
const CUTS = 4;
/** Longer than an exporter has to wait for its rate limit, many times over. */
const TIMEOUT_MS = 120_000;

/** All records. */
const FLUSHED_WITHIN_MS = 1_200_000;

type Exporter = typeof JsonExporter | typeof ProtobufExporter;
type System = Awaited<ReturnType<typeof start>>;

let system: System;
/** What the SDK logs, as operators see it. */
const logged = { errors: [] as string[], warnings: [] as string[] };

async function start() {
  const stack = await startConstellation({
    shared: inject("stack"),
    replicas: { gateway: 2 },
    without: ["nats", "export", "webhook-dispatcher"],
    env: { keys: { ANNALS_INTAKE_RATE_LIMIT_PER_MINUTE: String(REQUESTS_PER_WINDOW) } },
  });
  const gateways = stack.processes.filter(({ service }) => service === "gateway");
  return { stack, gateways, owner: ownerOf(stack.databaseUrl) };
}

beforeAll(async () => {
  system = await start();
  const note =
    (list: string[]) =>
    (message: string, ...more: unknown[]) =>
      void list.push([message, ...more].join(" "));
  const none = (): void => {};
  diag.setLogger(
    {
      error: note(logged.errors),
      warn: note(logged.warnings),
      info: none,
      debug: none,
      verbose: none,
    },
    { logLevel: DiagLogLevel.WARN },
  );
});
afterAll(async () => {
  diag.disable();
  await system.owner.close();
  await system.stack.stop();
});

let ageing: NodeJS.Timeout;
beforeEach(() => {
  const age = (): void =>
    void system.owner
      .query(
        `UPDATE keys.rate_windows SET started_at = now() - make_interval(secs => 60 - $1)
         WHERE started_at > now() - make_interval(secs => 60 - $1)`,
        [LEFT_S],
      )
      .catch(() => {});
  ageing = setInterval(age, 100);
});
afterEach(() => {
  clearInterval(ageing);
  vi.unstubAllEnvs();
});

/** As a program is configured that is not changed for Annals. */
function providerOf(Exporter: Exporter, baseUrl: string, key: string): LoggerProvider {
  const variables = {
    ENDPOINT: `${baseUrl}/v1/intake/otlp/v1/logs`,
    HEADERS: `Authorization=Bearer%20${key}`,
    COMPRESSION: "gzip",
    TIMEOUT: String(TIMEOUT_MS),
  };
  for (const [name, value] of Object.entries(variables))
    vi.stubEnv(`OTEL_EXPORTER_OTLP_LOGS_${name}`, value);
  const batching = new BatchLogRecordProcessor({
    exporter: new Exporter(),
    maxQueueSize: RECORDS + NAMELESS,
    maxExportBatchSize: BATCH,
    exportTimeoutMillis: TIMEOUT_MS,
  });
  const resource = resourceFromAttributes({ "service.name": "billing" });
  return new LoggerProvider({ resource, processors: [batching] });
}

/** Before all gateways: each connection goes to the next one that accepts it. */
async function openBalancer(): Promise<Server> {
  const targets = system.gateways.map(({ baseUrl = "" }) => new URL(baseUrl));
  let next = 0;
  const server = createServer((client) => {
    const sockets = [client.on("error", () => {})];
    client.on("close", () => sockets.forEach((socket) => socket.destroy()));
    const attempt = (left: number): void => {
      const { hostname = "", port = 0 } = targets[next++ % targets.length] ?? {};
      const upstream = connect(Number(port), hostname);
      const retry = (): void => (left > 0 ? attempt(left - 1) : void client.destroy());
      upstream.once("error", retry).once("connect", () => {
        upstream.off("error", retry).on("error", () => client.destroy());
        upstream.on("close", () => client.destroy());
        sockets.push(upstream);
        client.pipe(upstream).pipe(client);
      });
    };
    attempt(targets.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** A proxy before them that loses answers: what was sent is stored. */
async function losing(balancer: Server): Promise<Proxy> {
  const { port } = balancer.address() as AddressInfo;
  const proxy = await openProxy(`http://127.0.0.1:${port}`);
  let requests = 0;
  proxy.onRequest = (chunk) => {
    if (!chunk.toString("latin1").startsWith("POST ")) return "pass";
    requests += 1;
    return requests % CUTS === 0 ? "cut" : "pass";
  };
  return proxy;
}

/** How often each id is in the log. */
async function storedOf(accountId: string): Promise<Map<string, number>> {
  const rows = await system.owner.query<{ uid: string; count: number }>(
    `SELECT metadata::json->'attributes'->>'log.record.uid' AS uid, count(*)::int AS count
     FROM ledger.events WHERE account_id = $1 GROUP BY 1`,
    [accountId],
  );
  return new Map(rows.map(({ count, uid }) => [uid, count]));
}

async function exported(Exporter: Exporter, balancer: Server) {
  const { accountId, key } = await newAccount(system.stack.databaseUrl, ["events:write"]);
  const proxy = await losing(balancer);
  const provider = providerOf(Exporter, proxy.url, key);
  const logger = provider.getLogger("billing");
  for (let n = 0; n < RECORDS; n += 1) {
    const attributes = { "log.record.uid": `uid-${n}`, "user.id": `u_${n % 7}`, n };
    logger.emit({ eventName: "invoice.update", attributes, timestamp: new Date() });
    if (n < NAMELESS) logger.emit({ body: "connection closed", attributes: { n } });
  }
  const stored = async () => {
    await provider.forceFlush({ timeoutMillis: FLUSHED_WITHIN_MS });
    await provider.shutdown();
    proxy.close();
    const counts = await storedOf(accountId);
    return { size: counts.size, most: Math.max(...counts.values()) };
  };
  return { accountId, stored };
}

/** Kills a gateway twice while the records of the account arrive. */
async function killed(accountId: string): Promise<void> {
  const [gateway] = system.gateways;
  if (!gateway) throw new Error("the system has no gateway");
  for (const part of [0.2, 0.6]) {
    await eventually(
      "a part is stored",
      async () => (await storedOf(accountId)).size > part * RECORDS,
      FLUSHED_WITHIN_MS,
    );
    const died = gateway.exited();
    gateway.kill("SIGKILL");
    await died;
    await gateway.waitReady();
  }
}

test(`${2 * RECORDS} records are stored once each`, async () => {
  const balancer = await openBalancer();
  const [json, protobuf] = [
    await exported(JsonExporter, balancer),
    await exported(ProtobufExporter, balancer),
  ];
  const [inJson, inProtobuf] = await Promise.all([
    json.stored(),
    protobuf.stored(),
    killed(json.accountId),
  ]);
  balancer.close();
  expect(logged.errors).toEqual([]);
  for (const result of [inJson, inProtobuf]) expect(result).toEqual({ size: RECORDS, most: 1 });
  const rejected = logged.warnings.map((line) => /"rejectedLogRecords":"?(\d+)/.exec(line)?.[1]);
  expect(rejected.reduce((sum, count) => sum + Number(count), 0)).toBe(2 * NAMELESS);
  // Otherwise no exporter was refused.
  const [, { adminUrl } = {}] = system.gateways;
  const count = "http_server_request_duration_seconds_count";
  expect(await metricOf(adminUrl, count, 'status_code="429"')).toBeGreaterThan(0);
});
