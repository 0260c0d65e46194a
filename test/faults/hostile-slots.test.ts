// Guarantee: slots of a gateway belong to work. Neither clients without a key that read slowly, at whatever
// addresses, nor unknown keys, nor an account that does not read or leaves, refuse a request of another
// account, not even of one with the same address. When they have gone nothing is held. The controls: on a
// gateway without the settings that bound it, an attack holds more than it may. The slots of clients without
// a key and those of known keys, and that a share ends with its work, are no settings: without them tests of
// services/gateway/src/edge/requests-in-flight.test.ts fail. Unknown keys have their control in
// fairness.test.ts.

import { HttpClient, newAccount } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import { boundOf, expectWithin, type Figure, startUnbounded } from "./gateway-controls.ts";
import { ATTACK_NAMES, type Target } from "./hostile-slots-attacks.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";
import {
  aloneFor,
  attackFrom,
  type Noticed,
  type Other,
  underAttack,
  RELEASED_WITHIN_MS,
  SHORT_WINDOWS,
} from "./under-attack.ts";

const { forMs } = inject("form").fairness;
/** A list of them is larger than what the kernel buffers of a connection. */
const LARGE_EVENTS = 60;
const ATTACKS = new URL("./hostile-slots-attacks.ts", import.meta.url);
const ADDRESS = "203.0.113.1";
/** What an attack would hold without bounds. */
const FIGURES: Partial<Record<(typeof ATTACK_NAMES)[number], Figure>> = {
  "pipelined lists that are not read": "unread_bytes",
  "half-sent bodies at the address of the other account": "requests",
};

let bed: Testbed;
let target: Target;
let other: Other;
let alone: Noticed;
let unbounded: Awaited<ReturnType<typeof startUnbounded>>;

beforeAll(async () => {
  bed = await startTestbed({ replicas: {}, env: { gateway: SHORT_WINDOWS } });
  const { databaseUrl, baseUrls } = bed.stack;
  const [baseUrl = ""] = baseUrls;
  const { key } = await newAccount(databaseUrl);
  const client = new HttpClient(baseUrl, key);
  const event = { action: "large", metadata: { text: "x".repeat(60_000) } };
  const { status } = await client.post("/v1/events/batch", {
    events: Array.from({ length: LARGE_EVENTS }, () => event),
  });
  if (status !== 201) throw new Error(`the batch got ${status}`);
  client.close();
  target = { baseUrl, key, address: ADDRESS };
  other = { baseUrl, key: bed.key, headers: { "x-forwarded-for": ADDRESS } };
  alone = await aloneFor(other, forMs);
  unbounded = await startUnbounded(bed);
});
afterAll(() => bed?.stop());

test.each(ATTACK_NAMES)("%s", async (name) => {
  const [{ adminUrl } = {}] = processesOf(bed.stack, "gateway");
  const figure = FIGURES[name];
  const held = (resource = "") => metricOf(adminUrl, "annals_edge_held", resource);
  await underAttack(bed, {
    other,
    alone,
    forMs,
    begin: () => attackFrom(ATTACKS, { name, ...target }),
    figures: async () => ({
      "slots held": await held('resource="requests"'),
      refused: await metricOf(adminUrl, "annals_edge_refusals_total"),
      ...(figure && (await expectWithin(adminUrl, figure))),
    }),
  });
  await vi.waitFor(async () => expect(await held()).toBe(0), RELEASED_WITHIN_MS);
});

test.each(Object.entries(FIGURES))("the control: %s without bounds, %s", async (name, figure) => {
  const attack = (baseUrl: string) => attackFrom(ATTACKS, { name, ...target, baseUrl });
  expect(await unbounded(figure, attack)).toBeGreaterThan(boundOf(figure));
});
