// Guarantee: the metrics say how many exports wait, run and have failed, and since when the oldest of each is
// there. A permanent failure is counted once.

import { createRegistry } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { pino } from "pino";
import { expect, inject, onTestFinished, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { ledger, TestExports } from "../../testing/test-exports.ts";
import { startExportMeasuring } from "./measuring.ts";

test("exports by status, their age, and those that failed permanently", async () => {
  const exports = await TestExports.open(inject("stack").databaseUrl);
  onTestFinished(async () => {
    await exports.reset();
    await exports.close();
  });
  const registry = createRegistry("test");
  const metrics = createMetrics(registry);
  const loop = startExportMeasuring({
    database: exports.pool,
    log: pino({ level: "silent" }),
    metrics,
  });
  onTestFinished(() => loop.stop());
  const value = async (name: string, status = "") => {
    const lines = (await registry.getSingleMetricAsString(name)).split("\n");
    const line = lines.find((each) => each.startsWith(name) && each.includes(status));
    return Number(line?.split(" ").at(-1));
  };
  await eventually("none is there", async () => (await value("annals_exports", "pending")) === 0);
  expect(await value("annals_exports_failed_total")).toBe(0);

  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString().replace("Z", "000Z");
  const id = await exports.queue(undefined, anHourAgo);
  await eventually("it waits", async () => {
    loop.wake();
    return (await value("annals_exports", "pending")) === 1;
  });
  expect(await value("annals_exports_oldest_seconds", "pending")).toBeGreaterThanOrEqual(3_600);

  const fails = ledger(() => Promise.reject(new Error("no space")));
  exports.work(fails, { metrics, maxAttempts: 1 });
  await exports.reached(id, "failed");
  await eventually("it has failed", async () => {
    loop.wake();
    return (await value("annals_exports", "failed")) === 1;
  });
  expect(await value("annals_exports", "pending")).toBe(0);
  expect(await value("annals_exports_oldest_seconds", "failed")).toBeGreaterThanOrEqual(3_600);
  expect(await value("annals_exports_failed_total")).toBe(1);
});
