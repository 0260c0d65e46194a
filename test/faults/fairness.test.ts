// Guarantee: whatever one account, or a client without a key, does to a gateway, no request of another
// account fails, the gateway's memory is bounded, and what was held is released when the attacker has left.
// The report has that account's p99 alone and meanwhile. The controls: on a gateway without the settings that
// bound it, each attack holds more than it may. No setting has bodies of unknown paths read; where they are,
// `clients that send bodies to unknown paths leave nothing behind` (test/api/edge/unread.test.ts) fails.

import { HttpClient, newAccount } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { ended } from "../system/exports-client.ts";
import { loadLongChain } from "../bench/long-chain.ts";
import { metricOf } from "../system/metric-of.ts";
import { ATTACK_NAMES, type Target } from "./fairness-attacks.ts";
import { boundOf, expectWithin, type Figure, startUnbounded } from "./gateway-controls.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";
import {
  aloneFor,
  attackFrom,
  type Noticed,
  underAttack,
  RELEASED_WITHIN_MS,
  SHORT_WINDOWS,
} from "./under-attack.ts";

const { forMs } = inject("form").fairness;
/** An export of it is larger than what the kernel buffers of a connection. */
const EVENTS = 50_000;
const MAX_EXPORT_MS = 120_000;
const LARGE_EVENTS = 120;
const ATTACKS = new URL("./fairness-attacks.ts", import.meta.url);
/** What each attack would hold or get without bounds. */
const FIGURES: Partial<Record<(typeof ATTACK_NAMES)[number], Figure>> = {
  "half-sent bodies": "requests",
  "unread answers": "unread_bytes",
  "unread downloads": "downloads",
  "40 verifications": "verifications",
  "bodies of 4 MiB": "bytes",
  "malformed keys": "refusals",
  "unknown keys": "refusals",
};

let bed: Testbed;
let target: Target;
let alone: Noticed;
let unbounded: Awaited<ReturnType<typeof startUnbounded>>;

beforeAll(async () => {
  bed = await startTestbed({ replicas: {}, env: { gateway: SHORT_WINDOWS } });
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
  alone = await aloneFor({ baseUrl, key: bed.key }, forMs);
  unbounded = await startUnbounded(bed);
});
afterAll(() => bed?.stop());

test.each(ATTACK_NAMES)("%s", async (name) => {
  const [{ adminUrl } = {}] = processesOf(bed.stack, "gateway");
  const figure = FIGURES[name];
  const other = { baseUrl: target.baseUrl, key: bed.key };
  await underAttack(bed, {
    other,
    alone,
    forMs,
    begin: () => attackFrom(ATTACKS, { name, ...target }),
    figures: async () => ({
      refused: await metricOf(adminUrl, "annals_edge_refusals_total"),
      ...(figure && (await expectWithin(adminUrl, figure))),
    }),
  });
  const held = () => metricOf(adminUrl, "annals_edge_held");
  await vi.waitFor(async () => expect(await held()).toBe(0), RELEASED_WITHIN_MS);
});

test.each(Object.entries(FIGURES))("the control: %s without bounds, %s", async (name, figure) => {
  const attack = (baseUrl: string) => attackFrom(ATTACKS, { name, ...target, baseUrl });
  expect(await unbounded(figure, attack)).toBeGreaterThan(boundOf(figure));
});
