// Guarantee: receivers that send without end, or hardly at all, do not affect another account's deliveries:
// each arrives. The report has the other account's time from the answer to the arrival, alone and meanwhile.
// How much of each kind is read: services/webhook-dispatcher/src/outbound/sender-bytes.test.ts.

import { eventually, type HttpClient, type Subscriber } from "@annals/testing";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import type { ReceiversTarget } from "./hostile-receivers-attacks.ts";
import { report } from "../system/report.ts";
import { attackFrom } from "./under-attack.ts";

const MEASURED = inject("form").name === "full" ? 500 : 40;
/** Of the median: attempts that come in a burst share the CPU with the deliveries of that moment. */
const MAX_RATIO = 3;
/** Deliveries that wait for each hostile receiver. */
const QUEUED = 100;

let system: WebhookSystem;
let healthy: Subscriber;
let client: HttpClient;

beforeAll(async () => {
  system = await startWebhookSystem();
  client = await system.client();
  healthy = await system.subscriber();
  await client.post("/v1/webhooks", { url: healthy.url(), events: ["event.created"] });
});
afterAll(async () => {
  await system?.stop();
});

/** Milliseconds from each answer to the arrival of its delivery. */
async function arrivals(): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < MEASURED; n += 1) {
    const arrived = Promise.withResolvers<number>();
    healthy.answer = (response, { at }) => {
      response.writeHead(204).end();
      arrived.resolve(at);
    };
    expect((await client.post("/v1/events", { action: "measured" })).status).toBe(201);
    const answered = performance.now();
    took.push(Math.max(0, (await arrived.promise) - answered));
  }
  return took.toSorted((a, b) => a - b);
}

const percentile = (took: readonly number[], share: number) =>
  took[Math.floor((took.length - 1) * share)] ?? 0;

test("each kind of hostile receiver, and another account's deliveries", async () => {
  await arrivals();
  const alone = await arrivals();
  const folder = mkdtempSync(join(tmpdir(), "annals-receivers-"));
  const portsFile = join(folder, "ports.json");
  const target = { portsFile, ...(await system.authority.issue(["127.0.0.1"])) };
  const end = await attackFrom(
    new URL("./hostile-receivers-attacks.ts", import.meta.url),
    target satisfies ReceiversTarget,
  );
  const ports = await eventually("the receivers listen", () =>
    existsSync(portsFile) ? (JSON.parse(readFileSync(portsFile, "utf8")) as number[]) : undefined,
  );
  rmSync(folder, { recursive: true });
  const attacker = await system.client();
  const ids: string[] = [];
  for (const port of ports) {
    const given = { url: `https://127.0.0.1:${port}/`, events: ["event.created"] };
    ids.push((await attacker.post("/v1/webhooks", given)).body.data.id);
  }
  const events = Array.from({ length: QUEUED }, () => ({ action: "queued" }));
  expect((await attacker.post("/v1/events/batch", { events })).status).toBe(201);
  const meanwhile = await arrivals();
  const attempted = await eventually("hostile receivers are called", async () => {
    let attempts = 0;
    for (const id of ids) {
      const { body } = await attacker.get(`/v1/webhooks/${id}/deliveries?limit=100`);
      for (const each of body.data) attempts += each.attempts;
    }
    return attempts > 0 && attempts;
  });
  end();
  const shown = {
    "p50 alone ms": percentile(alone, 0.5),
    "p50 beside hostile receivers ms": percentile(meanwhile, 0.5),
    "p99 alone ms": percentile(alone, 0.99),
    "p99 beside hostile receivers ms": percentile(meanwhile, 0.99),
    "hostile attempts": attempted,
  };
  report(shown);
  if (inject("form").name === "full")
    expect(percentile(meanwhile, 0.5) / percentile(alone, 0.5)).toBeLessThan(MAX_RATIO);
});
