// Guarantee: a request is one trace, from the client's own span to each attempt of its deliveries, whatever
// it shares with others; polling makes no trace, no span lacks its parent, and no span holds a secret. All
// spans of a system are looked through, until it has stopped, so it is the file's own.

import { eventually, type HttpClient, newKey } from "@annals/testing";
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { OtlpReceiver } from "../system/otlp-receiver.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";

const SECRETS = {
  body: "a-value-of-the-body",
  query: "a-value-of-the-query",
  path: "a-secret-path",
};
const COALESCED = 10;

let receiver: OtlpReceiver;
let system: WebhookSystem;
let client: Awaited<ReturnType<WebhookSystem["client"]>>;
let isStopped = false;

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  system = await startWebhookSystem(
    {
      ANNALS_WEBHOOK_RETRY_DELAYS_S: "0.5",
      ANNALS_WEBHOOK_TRACEPARENT: "true",
      // What it finds belongs to no trace.
      ANNALS_WEBHOOK_SWEEP_INTERVAL_MS: "86400000",
    },
    { shared: inject("stack") },
    {
      every: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=audit",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
        OTEL_BSP_SCHEDULE_DELAY: "100",
      },
    },
  );
  client = await system.client();
});
afterAll(async () => {
  if (!isStopped) await system.stop();
  await receiver.close();
});

/** A trace that a client has begun. */
function clientTrace() {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

const event = { action: "user.login", metadata: { note: SECRETS.body } };

/** The account with a new key, which has no lease: its first request is asked for. */
async function withNewKey(one: typeof client): Promise<HttpClient> {
  return one.as((await newKey(system.stack.databaseUrl, one.accountId)).key);
}

/** They depend on the time: pending deliveries are counted once a second, queues are closed once a minute. */
const UNSTEADY = /webhooks\.(count-pending|open-queues)$/;

const treeOf = ({ traceId, spanId }: ReturnType<typeof clientTrace>): string[] =>
  receiver.tree(traceId, [spanId]).filter((line) => !UNSTEADY.test(line));

test("one event with a webhook that retries once, and an export, are a trace each", async () => {
  const hook = await system.subscriber();
  const url = `${hook.url(SECRETS.path)}?token=${SECRETS.query}`;
  const { body } = await client.post("/v1/webhooks", { url, events: ["*"] });
  // A notice from before NATS is connected is lost; the next one brings its event too.
  let count = 0;
  await eventually("a delivery", async () => {
    await client.post("/v1/events", event);
    count += 1;
    return hook.received.length > 0;
  });
  await hook.waitFor(count);
  await eventually("every result", async () => {
    const { body: list } = await client.get(`/v1/webhooks/${body.data.id}/deliveries?limit=100`);
    const done = list.data.filter(({ status }: { status: string }) => status === "success");
    return done.length === count;
  });

  const [posted, before] = [clientTrace(), hook.received.length];
  hook.answer = (response, _received, index) =>
    void response.writeHead(index === before ? 503 : 204).end();
  const state = { tracestate: `vendor=${"x".repeat(200)},large=${"y".repeat(400)}` };
  const asked = await withNewKey(client);
  await asked.post("/v1/events", event, { headers: { ...posted.headers, ...state } });
  await hook.waitFor(before + 2);
  const expected = `\
gateway: POST /v1/events
  gateway: admission
    gateway: admit-requests
      keys: admit-requests
        keys: keys.admit-requests
  gateway: append-event
    gateway: create-events
      ledger: create-events
        ledger: append-to-chain
          ledger: commit
            ledger: ledger.append-events
          ledger: send annals.notices.events
          webhook-dispatcher: process annals.notices.events
            webhook-dispatcher: deliver
              webhook-dispatcher: POST
              webhook-dispatcher: record-result
                webhook-dispatcher: webhooks.note-health
                webhook-dispatcher: webhooks.record-results
            webhook-dispatcher: read-events
              ledger: read-events
                ledger: ledger.read-events
            webhook-dispatcher: webhooks.create-deliveries
            webhook-dispatcher: webhooks.lock-subscribers
            webhook-dispatcher: webhooks.move-cursor
            webhook-dispatcher: webhooks.read-cursor`.split("\n");
  // The client has its answer before the last span has ended, and the collector its batches later.
  const isComplete = () =>
    receiver.ofTrace(posted.traceId).filter(({ name }) => name === "deliver").length === 2 &&
    treeOf(posted).length >= expected.length;
  await eventually("the tree", isComplete).catch(() => {});
  expect(treeOf(posted)).toStrictEqual(expected);
  const spans = receiver.ofTrace(posted.traceId);
  const [root] = spans.filter(({ kind, service }) => kind === "server" && service === "gateway");
  expect(root).toMatchObject({
    attributes: { "http.route": "/v1/events", "http.response.status_code": 201 },
    traceState: `vendor=${"x".repeat(200)}`,
  });
  const attempts = spans.filter(({ name }) => name === "POST");
  expect(attempts.map((each) => each.isFailed)).toStrictEqual([true, false]);
  expect(hook.received.slice(before).map(({ headers }) => headers["traceparent"])).toStrictEqual(
    attempts.map((each) => `00-${posted.traceId}-${each.spanId}-01`),
  );
  const [statement] = spans.filter(({ name }) => name === "ledger.append-events");
  expect(statement?.attributes).toStrictEqual({
    "db.system.name": "postgresql",
    "db.operation.name": "ledger.append-events",
  });

  const exported = clientTrace();
  await client.post("/v1/exports", {}, { headers: exported.headers });
  await hook.waitFor(before + 3);
  const wanted = [
    "gateway: POST /v1/exports",
    "export: create-export",
    "export: write-export",
    "ledger: stream-events",
    "export: exports.add-to-outbox",
    "export: send annals.notices.exports",
    "webhook-dispatcher: process annals.notices.exports",
    "webhook-dispatcher: deliver",
  ];
  const lines = () => receiver.tree(exported.traceId, [exported.spanId]).map((line) => line.trim());
  await eventually("the export's spans", () =>
    wanted.every((line) => lines().includes(line)),
  ).catch(() => {});
  expect(lines()).toEqual(expect.arrayContaining(wanted));
});

test("of events that share their way, each trace is linked to what they share", async () => {
  const hook = await system.subscriber();
  const many = await system.client();
  await many.post("/v1/webhooks", { url: hook.url(), events: ["event.created"] });
  await many.post("/v1/events", event);
  const database = new pg.Client({ connectionString: system.stack.databaseUrl });
  await database.connect();
  const admitted = async () => {
    const [row] = (
      await database.query(
        `SELECT sum(used) AS used FROM keys.rate_windows WHERE account_id = '${many.accountId}'`,
      )
    ).rows;
    return Number(row?.used ?? 0);
  };
  const clients = await Promise.all(Array.from({ length: COALESCED }, () => withNewKey(many)));
  const before = await admitted();
  const traces = Array.from({ length: COALESCED }, clientTrace);
  // While the head is locked, the events of all gather.
  await database.query("BEGIN");
  await database.query(
    `SELECT FROM ledger.heads WHERE account_id = '${many.accountId}' FOR UPDATE`,
  );
  const answers = traces.map(async ({ headers }, n) =>
    clients[n]?.post("/v1/events", event, { headers }),
  );
  await eventually("ten that are admitted", async () => (await admitted()) >= before + COALESCED);
  await database.query("COMMIT");
  await database.end();
  for (const answer of await Promise.all(answers)) expect(answer?.status).toBe(201);
  await hook.waitFor(COALESCED + 1);
  await system.stop();
  isStopped = true;

  const { spans } = receiver;
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const appends = traces.flatMap(({ traceId }) =>
    receiver.ofTrace(traceId).filter(({ name }) => name === "append-event"),
  );
  expect(appends).toHaveLength(COALESCED);
  const shared = spans.filter(({ name }) => name === "batch append-event");
  expect(shared.some(({ links }) => links.length > 1)).toBe(true);
  for (const { links, spanId } of shared) {
    for (const member of links)
      expect(byId.get(member.spanId)?.links.map((link) => link.spanId)).toContain(spanId);
  }
  // Each event is alone in a call, or linked to the call that it shares.
  for (const append of appends) {
    const children = spans.filter((span) => span.parentSpanId === append.spanId);
    expect(children.length + append.links.length).toBeGreaterThan(0);
  }
  const linked = spans.filter(({ name, parentSpanId }) => name === "deliver" && !parentSpanId);
  expect(linked.length).toBeGreaterThan(1);
});

/** After the tests above: with every span of a system that has stopped. */
test("no span lacks its parent, polling makes none, and none holds a secret", () => {
  const { requests, resources, spans } = receiver;
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
  for (const root of roots) {
    const isRequest = root.service === "gateway" && root.kind === "server";
    const isLinked = root.parentSpanId === "" && root.links.some(({ spanId }) => ids.has(spanId));
    expect(isRequest || isLinked, JSON.stringify(root)).toBe(true);
  }
  expect(spans.filter(({ name }) => /claim|waiting|idempotency|index/.test(name))).toEqual([]);
  expect(new Set(resources.map((of) => of["service.name"])).size).toBe(5);
  for (const of of resources) {
    expect(of).toMatchObject({ "deployment.environment.name": "test" });
    expect(Object.keys(of).filter((name) => name.startsWith("process."))).toEqual([]);
  }
  for (const { body, headers, path } of requests) {
    expect(path).toBe("/v1/traces");
    expect(headers["x-tenant"]).toBe("audit");
    for (const secret of [...Object.values(SECRETS), client.key])
      expect(body).not.toContain(secret);
  }
});
