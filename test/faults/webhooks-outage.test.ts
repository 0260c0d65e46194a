// Guarantee: with NATS away for a minute under load, and with its disk lost under load, every POST is
// answered as ever and every event reaches every webhook. Without the sweep it does not: both are shown.

import { afterEach, expect, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import { surviveOutage } from "../system/webhooks-outage.ts";
import { report } from "../system/report.ts";

const STOPPED_MS = 60_000;
const NO_SWEEP = { ANNALS_WEBHOOK_SWEEP_INTERVAL_MS: "86400000" };
const NONE = [0, 0, 0];

let system: WebhookSystem;
afterEach(() => system.stop());

test.each([
  ["stopped", { stoppedMs: STOPPED_MS, isWiped: false }],
  ["wiped", { stoppedMs: 0, isWiped: true }],
] as const)("NATS is %s under load", async (_name, outage) => {
  system = await startWebhookSystem();
  const { awayP50Ms, silent, steady, usualP50Ms } = await surviveOutage(system, outage, true);
  expect([steady.missing, silent.missing]).toEqual([NONE, NONE]);
  report({
    "ms away": outage.stoppedMs,
    events: steady.count + silent.count,
    missing: 0,
    "p50 usual in µs": usualP50Ms * 1_000,
    "p50 away in µs": awayP50Ms * 1_000,
  });
});

test("control: the same without the sweep", async () => {
  system = await startWebhookSystem(NO_SWEEP);
  const { silent } = await surviveOutage(system, { stoppedMs: 0, isWiped: true }, false);
  expect(silent.missing).toEqual([silent.count, silent.count, silent.count]);
  report({ events: silent.count, missing: silent.count });
});
