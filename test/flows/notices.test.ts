// Notices never delay a request, which the full form compares with the deadlines of NATS: with NATS there,
// what was committed is notified; with NATS away, at the start or later, the ledger starts and serves as
// ever, counts what it could not notify, and notifies again by itself when NATS is back.

import { createLog } from "@annals/chassis";
import { connectMessaging, consumeNotices, type Notice } from "@annals/messaging";
import { eventually, newClient } from "@annals/testing";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";

type System = Awaited<ReturnType<typeof startConstellation>>;

const EVENT = { action: "thing.done" };
const log = createLog({ service: "test", level: "error" });
const closing: (() => Promise<void> | void)[] = [];

let system: System;

async function start(without: readonly "nats"[] = []): Promise<void> {
  system = await startConstellation({
    shared: inject("stack"),
    rateLimitPerMinute: 100_000,
    without: ["export", "webhook-dispatcher", ...without],
  });
  closing.push(() => system.stop());
}

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** All notices that pass from now on. */
async function listen(): Promise<Notice[]> {
  const seen: Notice[] = [];
  const messaging = await connectMessaging({ url: system.natsUrl, name: "test", log });
  const consumer = consumeNotices(messaging, {
    durable: "test",
    log,
    onNotice: (notice) => void seen.push(notice),
  });
  closing.push(
    () => messaging.close(),
    () => consumer.stop(),
  );
  return seen;
}

/** What the ledger says of the counter, over all kinds. */
function counted(name: string): Promise<number> {
  const ledger = system.processes.find(({ service }) => service === "ledger");
  return metricOf(ledger?.adminUrl, `${name}{`);
}

describe("with NATS there", () => {
  beforeEach(() => start());

  test("events, batches and verifications are notified, with their last positions", async () => {
    const seen = await listen();
    const { accountId, client } = await newClient(system);
    const mine = () =>
      seen.filter((notice) => notice.accountId === accountId).map((n) => `${n.kind} ${n.position}`);
    expect((await client.post("/v1/events", EVENT)).status).toBe(201);
    await eventually("the event", () => mine().includes("events 1"));
    const events = Array.from({ length: 20 }, () => EVENT);
    expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
    await eventually("the batch", () => mine().includes("events 21"));
    expect((await client.get("/v1/verify")).status).toBe(200);
    await eventually("the verification", () => mine().includes("verifications 1"));
    expect(mine()).toEqual(["events 1", "events 21", "verifications 1"]);
  });

  test("NATS goes away under load and comes back", async () => {
    const seen = await listen();
    const { accountId, client } = await newClient(system);
    const nats = system.processes.find(({ service }) => service === "nats");
    const statuses = new Set<number>();
    const slowest = { ms: 0 };
    const post = async () => {
      const started = performance.now();
      statuses.add((await client.post("/v1/events", EVENT)).status);
      slowest.ms = Math.max(slowest.ms, performance.now() - started);
    };
    const failed = () => counted("annals_notices_failed_total");
    await post();
    await nats?.stop();
    await eventually("notices fail", async () => {
      await post();
      return (await failed()) >= 20;
    });
    nats?.start();
    await nats?.waitReady();
    const last = await eventually("notices pass", async () => {
      await post();
      return seen.findLast((notice) => notice.accountId === accountId && notice.position > 20n);
    });
    expect(last.kind).toBe("events");
    expect([...statuses]).toEqual([201]);
    // No request waited for NATS: its deadlines are 2 and 5 seconds.
    expect(slowest.ms).toBeLessThan(inject("form").name === "full" ? 2_000 : Infinity);
  });
});

test("with NATS away from the start everything is served, and verified, and counted", async () => {
  await start(["nats"]);
  const { client } = await newClient(system);
  expect((await client.post("/v1/events", EVENT)).status).toBe(201);
  expect((await client.get("/v1/verify")).body.data).toMatchObject({ valid: true, checked: 1 });
  await eventually(
    "both are counted as failed",
    async () => (await counted("annals_notices_failed_total")) === 2,
  );
  expect(await counted("annals_notices_published_total")).toBe(0);
});
