// Guarantee: a metric that was renamed has the same values under its earlier name, at every scrape.

import { createRegistry } from "@annals/chassis";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

test("failures of workers are also counted under the earlier name", async () => {
  const registry = createRegistry("test");
  const { failures } = createMetrics(registry);
  for (let scrape = 1; scrape <= 2; scrape++) {
    failures.inc({ worker: "sweep" });
    const page = await registry.metrics();
    const counts = page.match(/^annals\w*_worker_failures_total\{.*worker="sweep".*\} \d+$/gm);
    expect(counts?.map((line) => Number(line.split(" ").at(-1)))).toStrictEqual([scrape, scrape]);
  }
});
