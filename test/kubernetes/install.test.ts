// Guarantee: on a cluster that has the images and nothing else, in a namespace at the level "restricted",
// `helm install` without any value gives a verified event. An upgrade that replaces every pod fails no
// request. No other pod reaches a backend. Webhooks reach a pod, exports are written. After `helm uninstall`
// an install with the same name continues the chain.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, Namespace, WAIT } from "./namespace.ts";

const { version } = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, "../.."), "package.json"), "utf8"),
) as { version: string };

/** What the owner of a cluster is promised, from `helm install` to the first verified event. */
const FIRST_EVENT_WITHIN_MS = 120_000;
const WITHIN_MS = 180_000;
/** Each appends once a second: below the rate limit of a key, 100 a minute. */
const LOADED_KEYS = 8;
const MIN_APPENDS = 50;

/** Replaces every pod of the services. The dispatcher may reach pods, and trusts the receiver's authority. */
const REPLACED = {
  pod: { annotations: { "example.com/roll": "again" } },
  networkPolicy: { internet: { exceptIPv4: [] } },
  webhookDispatcher: {
    caBundle: { configMap: "receiver-ca" },
    settings: { ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true" },
  },
};

describe("the chart without any value", () => {
  let namespace: Namespace;
  let key: string;

  const append = (action: string) => namespace.request(key, "POST", "/v1/events", { action });
  const verified = () =>
    eventually(WITHIN_MS, async () => {
      const { status, body } = await namespace.request(key, "GET", "/v1/verify");
      return status === 200 ? body.data : undefined;
    });

  beforeAll(async () => {
    namespace = await Namespace.create();
    await namespace.startClient(`annals:${version}`);
  });
  afterAll(() => namespace.remove());

  test("an install gives a verified event in time, and lists it", async () => {
    const started = performance.now();
    await namespace.helm("install", {});
    key = await namespace.secret("annals-bootstrap-key", "key");
    const left = FIRST_EVENT_WITHIN_MS - (performance.now() - started);
    await eventually(left, async () => ((await append("first")).status === 201 ? true : undefined));
    expect(await verified()).toMatchObject({ valid: true, checked: 1 });
    const seconds = (performance.now() - started) / 1000;
    process.stderr.write(
      `from helm install to the first verified event: ${seconds.toFixed(1)} s\n`,
    );
    const { body } = await namespace.request(key, "GET", "/v1/events");
    expect(body.data).toMatchObject([{ sequence_number: 1, action: "first" }]);
    // The dispatcher may not call a pod: an attempt is enough.
    expect(await namespace.helmTest()).toContain("ok: attempt the delivery");
  });

  test("an upgrade that replaces every pod fails no request, and migrates before it", async () => {
    // Every pod, where the gateways have just begun to answer.
    for (const name of ["keys", "ledger", "export", "webhook-dispatcher", "gateway"])
      await namespace.kubectl("rollout", "status", `deployment/annals-${name}`, "--timeout=180s");
    const made = Array.from({ length: LOADED_KEYS }, (_, index) =>
      namespace.request(key, "POST", "/v1/api-keys", { name: `load ${index}` }),
    );
    const keys = (await Promise.all(made)).map(({ body }) => body.data.key as string);
    const before = (await verified()).checked as number;
    const load = namespace.load(LOADED_KEYS, keys);
    await namespace.helm("upgrade", REPLACED, ...WAIT);
    const { appended, statuses } = await load.stop();
    expect(statuses).toStrictEqual({ "201": appended });
    expect(appended).toBeGreaterThan(MIN_APPENDS);
    expect(await verified()).toMatchObject({ valid: true, checked: before + appended });
    const { failed, schemas } = await namespace.migrated("annals-migrate");
    expect(failed).toStrictEqual([]);
    expect(schemas).toHaveLength(4);
    for (const schema of schemas) expect(schema).toMatchObject({ applied: [] });
  });

  test("a pod of someone else reaches the gateway and nothing beside it", async () => {
    expect(await namespace.connects("annals-gateway", 80)).toBe(true);
    const closed: [string, number][] = [
      ["annals-postgresql", 5432],
      ["annals-nats", 4222],
      ...["keys", "ledger", "export", "webhook-dispatcher"].map((name): [string, number] => [
        `annals-${name}`,
        9090,
      ]),
    ];
    const outcomes = closed.map(([host, port]) => namespace.connects(host, port));
    expect(await Promise.all(outcomes)).toStrictEqual(closed.map(() => false));
  });

  test("a webhook reaches a pod, and an export is written", async () => {
    const webhook = { url: namespace.receiver, events: ["event.created"] };
    expect(await namespace.request(key, "POST", "/v1/webhooks", webhook)).toMatchObject({
      status: 201,
    });
    await append("delivered");
    const delivery = await eventually(WITHIN_MS, async () => {
      const lines = (await namespace.kubectl("logs", "client")).trim().split("\n");
      return lines.find((line) => line.includes("delivered"));
    });
    expect(JSON.parse(delivery).headers).toHaveProperty("x-service-signature");
    const made = await namespace.request(key, "POST", "/v1/exports", { format: "jsonl" });
    expect(made.status).toBe(201);
    const path = `/v1/exports/${made.body.data.id}`;
    await eventually(WITHIN_MS, async () => {
      const { body } = await namespace.request(key, "GET", path);
      return body.data.status === "completed" ? true : undefined;
    });
    const { status } = await namespace.request(key, "GET", `${path}/content`);
    expect(status).toBe(200);
  });

  test("an install after an uninstall continues the chain with the same key", async () => {
    const before = (await verified()).checked as number;
    await namespace.uninstall();
    await namespace.install({});
    expect(await append("after")).toMatchObject({
      status: 201,
      body: { data: { sequence_number: before + 1 } },
    });
    expect(await verified()).toMatchObject({ valid: true, checked: before + 1 });
  });
});
