// Guarantee: the metrics say how many deliveries are pending, how long the oldest due one has waited, in
// which state the webhooks are, and how long a cursor has not moved, at every replica and with 0 where
// nothing waits.

import { createRegistry } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { expect, onTestFinished, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { FakeTime, log, newService } from "../../testing/dispatcher.ts";
import { startMeasuringBacklog } from "./measuring.ts";
import { OutboxLag } from "./outbox-lag.ts";

function newMetrics() {
  const registry = createRegistry("test");
  const metrics = createMetrics(registry);
  /** The values of a gauge, by their one label where it has one. */
  const values = async (name: string): Promise<Record<string, number>> => {
    const text = await registry.getSingleMetricAsString(name);
    const lines = text.matchAll(
      new RegExp(`^${name}(?:\\{\\w+="(\\w+)",.*\\}|\\{.*\\}) (.+)$`, "gm"),
    );
    return Object.fromEntries(
      [...lines].map(([, label = "value", value]) => [label, Number(value)]),
    );
  };
  return { metrics, values };
}

test("the backlog and the states of the webhooks", async () => {
  const time = new FakeTime();
  const { database, replica, subscribed } = await newService({ now: time.now });
  const { metrics, values } = newMetrics();
  const loop = startMeasuringBacklog({ database: database.pool(), log, metrics, now: time.now });
  onTestFinished(() => loop.stop());
  const measured = (what: string, name: string, expected: Record<string, number>) =>
    eventually(what, async () => {
      loop.wake();
      expect(await values(name)).toStrictEqual(expected);
      return true;
    });
  const none = { healthy: 0, failing: 0, disabled: 0, inactive: 0 };
  await measured("there is no webhook", "annals_webhooks", none);
  expect(await values("annals_webhook_deliveries_pending")).toStrictEqual({ value: 0 });
  expect(await values("annals_webhook_oldest_due_seconds")).toStrictEqual({ value: 0 });

  const { accountId } = await subscribed();
  await subscribed({ active: false });
  const one = replica();
  await one.produce(accountId, 3);
  time.advance(40);
  await measured("they wait", "annals_webhook_oldest_due_seconds", { value: 40 });
  expect(await values("annals_webhook_deliveries_pending")).toStrictEqual({ value: 3 });
  expect(await values("annals_webhooks")).toStrictEqual({ ...none, healthy: 1, inactive: 1 });

  await database.query("UPDATE webhooks.webhooks SET failing_since = $1 WHERE active", [
    time.now(),
  ]);
  time.advance(100);
  // A run that began before the advance may see the failure, too, and says 0 seconds.
  await measured("one fails", "annals_webhook_failing_longest_seconds", { value: 100 });
  expect(await values("annals_webhooks")).toStrictEqual({ ...none, failing: 1, inactive: 1 });
  await database.query(
    "UPDATE webhooks.webhooks SET active = false, disabled_at = $1 WHERE active",
    [time.now()],
  );
  await measured("it is disabled", "annals_webhooks", { ...none, disabled: 1, inactive: 1 });
  expect(await values("annals_webhook_failing_longest_seconds")).toStrictEqual({ value: 0 });
});

test("the lag of the outboxes: entries, and how long a cursor has not moved", async () => {
  const { metrics, values } = newMetrics();
  let nowMs = 0;
  const lag = new OutboxLag(metrics, () => nowMs);
  const lags = async (entries: number, seconds: number) => {
    const none = { events: 0, verifications: 0, exports: 0 };
    lag.report();
    expect(await values("annals_outbox_lag_entries")).toStrictEqual({ ...none, events: entries });
    expect(await values("annals_outbox_lag_seconds")).toStrictEqual({ ...none, events: seconds });
  };
  await lags(0, 0);
  lag.found("events", "acct_1", 5n, 8n);
  lag.found("events", "acct_2", 1n, 2n);
  await lags(4, 0);
  nowMs = 2_000;
  lag.found("events", "acct_1", 5n, 9n);
  lag.found("events", "acct_2", 2n, 3n);
  await lags(5, 2);
  nowMs = 4_000;
  lag.found("events", "acct_1", 8n, 9n);
  await lags(1, 0);
  await lags(0, 0);
});
