// Guarantee: a draining server keeps serving for a moment while clients are connected. So a client whose
// other server has just restarted can reconnect to it before it loses this one. Without clients it closes at
// once. Health says NOT_SERVING from the start.

import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@annals/proto/health";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { connectRpc } from "./client.ts";
import { echo, GRACE_MS, Opened } from "./testing/test-ledger.ts";
import { GATEWAY_TLS } from "./testing/test-tls.ts";

const DRAIN_DELAY_MS = 1_000;
/** The pause between calls of a client that only has to wait for a backoff. */
const CALLED_EVERY_MS = 10;
const CONTROLS = 5;
/** A wait of this length does not end within the time of a test. */
const NEVER_MS = 3_600_000;
const opened = new Opened();
afterEach(() => opened.closeAll());

/** Restarts the first server, then closes the second immediately; the client calls throughout. */
async function rolledOver(drainDelayMs: number): Promise<number> {
  const first = await opened.server(echo);
  const second = await opened.server(echo, { drainDelayMs });
  const { client } = opened.client(`ipv4:${first.address},${second.address}`);
  for (let n = 0; n < 10; n += 1) await client.getEvent({});
  await first.close({ graceMs: 0 });
  // After repeated failures the client has reached its longest reconnect backoff.
  for (const end = performance.now() + DRAIN_DELAY_MS; performance.now() < end;) {
    await client.getEvent({});
    await pause(CALLED_EVERY_MS);
  }
  await opened.server(echo, { port: first.port });
  let isClosed = false;
  const closed = second.close({ graceMs: GRACE_MS }).then(() => (isClosed = true));
  let failed = 0;
  while (!isClosed) await client.getEvent({}).catch(() => (failed += 1));
  await closed;
  return failed;
}

it("a client reconnects to the other server before it loses this one", async () => {
  expect(await rolledOver(DRAIN_DELAY_MS)).toBe(0);
});

it("control: without the drain delay its calls fail", async () => {
  let failed = 0;
  // The client may reconnect by chance at the moment the server is back.
  for (let n = 0; n < CONTROLS && failed === 0; n += 1) failed = await rolledOver(0);
  expect(failed).toBeGreaterThan(0);
});

it("health says NOT_SERVING while calls are still answered", async () => {
  const server = await opened.server(echo, { drainDelayMs: DRAIN_DELAY_MS });
  const { client } = opened.client(server.address);
  await client.getEvent({});
  const health = connectRpc({
    address: server.address,
    service: Health,
    peer: "ledger",
    stopping: undefined,
    tls: GATEWAY_TLS,
  });
  opened.add(() => health.close());
  const closed = server.close({ graceMs: 0 });
  expect((await health.client.check({})).status).toBe(ServingStatus.NOT_SERVING);
  expect((await client.getEvent({ id: "evt_1" })).event?.id).toBe("evt_1");
  await closed;
});

it("without clients it closes at once", async () => {
  const server = await opened.server(echo, { drainDelayMs: NEVER_MS });
  await expect(server.close()).resolves.toBeUndefined();
});
