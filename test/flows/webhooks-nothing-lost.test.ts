// Guarantee: what was answered with 201 reaches every webhook, whatever dies on the way: dispatcher and
// ledger killed during attempts, NATS stopped and robbed of its disk. The control: the same without the
// sweep, and events are missing. A whole minute without NATS is in test/faults/webhooks-outage.test.ts.

import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import {
  expectNothingMissing,
  killDuringAttempts,
  KILLED_DISPATCHER,
  postAll,
  repeats,
  threeWebhooks,
} from "../system/webhooks-load.ts";
import { surviveOutage } from "../system/webhooks-outage.ts";

const EVENTS = 1_000;
const VICTIMS = [
  ["ledger", 1],
  ["webhook-dispatcher", 1],
  ["webhook-dispatcher", 2],
] as const;
/** So rarely that it never comes. */
const NO_SWEEP = { ANNALS_WEBHOOK_SWEEP_INTERVAL_MS: "86400000" };
const OUTAGE = { stoppedMs: 3_000, isWiped: true };

/** Started by one of the two blocks, stopped at its end. */
let system: WebhookSystem;

describe("as it is", () => {
  beforeAll(async () => {
    system = await startWebhookSystem(KILLED_DISPATCHER, {
      shared: inject("stack"),
      replicas: { "webhook-dispatcher": 2 },
    });
  });
  afterAll(() => system.stop());

  test("dispatcher and ledger are killed while requests are under way", async () => {
    const { client, subscribers } = await threeWebhooks(system);
    let isKilling = true;
    const victims = [...VICTIMS, ...VICTIMS].map(([service, index]) =>
      system.processOf(service, index),
    );
    const killing = killDuringAttempts(victims, subscribers).finally(() => (isKilling = false));
    const [{ count }] = await Promise.all([postAll(client, EVENTS, () => isKilling), killing]);
    await expectNothingMissing(subscribers, count);
    repeats(subscribers);
  });

  test("NATS is stopped, then wiped, under load", async () => {
    const { silent, steady } = await surviveOutage(system, OUTAGE, true);
    expect([steady.missing, silent.missing]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
});

test("control: the same with the sweep disabled, and events are missing", async () => {
  system = await startWebhookSystem(NO_SWEEP, { shared: inject("stack") });
  onTestFinished(() => system.stop());
  const { silent } = await surviveOutage(system, OUTAGE, false);
  expect(silent.missing).toEqual([silent.count, silent.count, silent.count]);
});
