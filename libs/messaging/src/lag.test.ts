// Guarantee: a producer sees what no consumer has taken, and since when, also while every consumer is
// stopped; it sees nothing where NATS cannot be asked, and waits no longer than a moment for that.

import { createLog, createRegistry } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { expect, onTestFinished, test } from "vitest";
import { connectMessaging } from "./connection.ts";
import { consumeNotices } from "./consume.ts";
import { DISPATCHER, noticeLag } from "./lag.ts";
import { lagMetrics } from "./metrics.ts";
import { NoticePublisher } from "./publish.ts";
import { newMetrics, TestNats } from "./testing/nats.ts";

const log = createLog({ service: "test", level: "error" }, { write: () => {} });

test("the messages that no dispatcher took, and the age of the oldest", async () => {
  const nats = await TestNats.start();
  onTestFinished(() => nats.remove());
  const messaging = await connectMessaging({ url: nats.url, name: "test", log });
  onTestFinished(() => messaging.close());
  await messaging.connected(AbortSignal.timeout(10_000));
  const registry = createRegistry("test");
  lagMetrics(registry, () => noticeLag(messaging, DISPATCHER));
  /** Undefined: absent. */
  const value = async (name: string): Promise<number | undefined> => {
    const line = (await registry.metrics()).split("\n").find((each) => each.startsWith(`${name}{`));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  };
  const pending = () => value("annals_notices_pending");
  const oldest = () => value("annals_notices_oldest_pending_seconds");
  expect(await pending()).toBeUndefined();

  const notices = new NoticePublisher(messaging, { log, metrics: newMetrics().metrics });
  onTestFinished(() => notices.close());
  let position = 0n;
  const publish = () =>
    notices.notify({ kind: "events", accountId: "a", position: (position += 1n) });
  const consume = () => consumeNotices(messaging, { durable: DISPATCHER, log, onNotice: () => {} });
  const first = consume();
  publish();
  await eventually("it is taken", async () => (await pending()) === 0);
  expect(await oldest()).toBe(0);
  await first.stop();

  // A request for messages that is open when its consumer stops may still take one.
  await eventually(
    "one waits",
    async () => {
      publish();
      return ((await pending()) ?? 0) > 0;
    },
    20_000,
  );
  const before = (await oldest()) ?? 0;
  const begun = performance.now();
  await eventually("it gets older", async () => ((await oldest()) ?? 0) > before + 0.2);
  expect(performance.now() - begun).toBeGreaterThan(150);

  const second = consume();
  await eventually("all are taken", async () => (await pending()) === 0 && (await oldest()) === 0);
  await second.stop();
  nats.freeze();
  onTestFinished(() => nats.thaw());
  // A signal stops the threads of a process one after the other.
  await eventually("it is frozen", async () => (await pending()) === undefined);
  expect(await pending()).toBeUndefined();
});
