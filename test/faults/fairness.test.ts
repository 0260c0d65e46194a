// Guarantee: whatever one account, or somebody without a key, does to a gateway, no request of another
// account fails, the gateway's memory is bounded, and what was held is released when the attacker has left.
// The report has the victim's p99 alone and meanwhile; no time is asserted, so it is alone only once.

import { HttpClient, newAccount } from "@annals/testing";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { ended } from "../api/exports/exports-client.ts";
import { loadLongChain } from "../bench/long-chain.ts";
import { peaks } from "../flows/process-memory.ts";
import { metricOf } from "../metric-of.ts";
import { ATTACK_NAMES, type AttackName, type Target } from "./fairness-attacks.ts";
import { report } from "./report.ts";
import { processesOf, startTestbed, type Testbed } from "./testbed.ts";

const { forMs } = inject("form").fairness;
/** An export of it is larger than what the kernel buffers of a connection. */
const EVENTS = 50_000;
const MAX_EXPORT_MS = 120_000;
const LARGE_EVENTS = 120;
/** What the chart gives to a gateway. */
const MAX_RSS_MB = 512;
const VICTIM_CONNECTIONS = 4;
const WARM_UP_MS = 500;
/** Longer than any window of the gateway below. */
const RELEASED_WITHIN_MS = 20_000;
const SETTINGS = {
  ANNALS_BODY_WINDOW_MS: "2000",
  ANNALS_ANSWER_WINDOW_MS: "3000",
  ANNALS_TRUSTED_PROXIES: "127.0.0.0/8",
  // The default, which other tests must not reach.
  ANNALS_UNAUTHENTICATED_PER_SECOND: "20",
};

let bed: Testbed;
let target: Target;
let alone: Awaited<ReturnType<typeof victim>>;

beforeAll(async () => {
  bed = await startTestbed({ replicas: {}, env: { gateway: SETTINGS } });
  const { databaseUrl, baseUrls } = bed.stack;
  const [baseUrl = ""] = baseUrls;
  const { accountId, key } = await newAccount(databaseUrl);
  await loadLongChain(databaseUrl, accountId, EVENTS);
  const client = new HttpClient(baseUrl, key);
  const created = await client.post("/v1/exports", { include_proofs: true });
  const { id } = await ended(client, created.body.data.id, "completed", MAX_EXPORT_MS);
  const large = { action: "large", metadata: { text: "x".repeat(60_000) } };
  for (let n = 0; n < LARGE_EVENTS; n += LARGE_EVENTS / 2) {
    const events = Array.from({ length: LARGE_EVENTS / 2 }, () => large);
    const { status, text } = await client.post("/v1/events/batch", { events });
    if (status !== 201) throw new Error(`the batch got ${status}: ${text}`);
  }
  client.close();
  target = { baseUrl, key, download: `/v1/exports/${id}/content` };
  await victim(WARM_UP_MS);
  alone = await victim(forMs);
});
afterAll(() => bed?.stop());

/** Requests of the victim, half appends and half reads, each connection one after the other. */
async function victim(untilMs: number) {
  const { key, stack } = bed;
  const until = performance.now() + untilMs;
  const took: number[] = [];
  const failed: unknown[] = [];
  await Promise.all(
    Array.from({ length: VICTIM_CONNECTIONS }, async (_, n) => {
      const client = new HttpClient(stack.baseUrls[0] ?? "", key);
      while (performance.now() < until) {
        const started = performance.now();
        const answer = await (
          n % 2 === 0
            ? client.post("/v1/events", { action: "victim" })
            : client.get("/v1/events?limit=1")
        ).catch((error: Error) => ({ status: 0, text: error.message }));
        took.push(performance.now() - started);
        if (answer.status !== (n % 2 === 0 ? 201 : 200)) failed.push([answer.status, answer.text]);
      }
      client.close();
    }),
  );
  took.sort((a, b) => a - b);
  return { requests: took.length, failed, p99: took[Math.floor((took.length - 1) * 0.99)] ?? 0 };
}

const CHILD = fileURLToPath(new URL("./fairness-child.ts", import.meta.url));

/** Begins an attack in a process of its own; the function that is returned ends it. */
function begin(name: AttackName): () => void {
  const child = fork(CHILD, { execArgv: ["-C", "source"] });
  child.send({ name, target });
  return () => void child.kill("SIGKILL");
}

test.each(ATTACK_NAMES)("%s", async (name) => {
  const gateways = processesOf(bed.stack, "gateway");
  const [{ adminUrl } = {}] = gateways;
  const held = () => metricOf(adminUrl, "annals_edge_held");
  const stop = begin(name);
  const { result: meanwhile, most } = await peaks(gateways, () => victim(forMs)).finally(stop);
  const figures = {
    "victim alone": alone.requests,
    "under attack": meanwhile.requests,
    failed: meanwhile.failed.length,
    "p99 alone ms": alone.p99,
    "p99 under attack ms": meanwhile.p99,
    "gateway MB": Math.max(...most),
    refused: await metricOf(adminUrl, "annals_edge_refusals_total"),
  };
  report(figures);
  expect(meanwhile.failed.slice(0, 5), JSON.stringify(figures)).toStrictEqual([]);
  expect(meanwhile.requests).toBeGreaterThan(0);
  expect(Math.max(...most)).toBeLessThan(MAX_RSS_MB);
  await vi.waitFor(async () => expect(await held()).toBe(0), RELEASED_WITHIN_MS);
});
