// Guarantee: a server that closes serves on for a moment where callers are connected, so that a caller whose
// other server has just come back has that one before it loses this one; where nobody is connected it closes
// at once. Health says NOT_SERVING from the first.

import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@annals/proto/health";
import { afterEach, expect, it } from "vitest";
import { connectRpc } from "./client.ts";
import { echo, GRACE_MS, Opened } from "./testing/test-ledger.ts";

const LEAVE_MS = 1_000;
const CONTROLS = 5;
const opened = new Opened();
afterEach(() => opened.closeAll());

/** Restarts the first server, closes the second at once when the first is back, and calls all the while. */
async function rolledOver(leaveMs: number): Promise<number> {
  const first = await opened.server(echo);
  const second = await opened.server(echo, { leaveMs });
  const { client } = opened.client(`ipv4:${first.address},${second.address}`);
  for (let n = 0; n < 10; n += 1) await client.getEvent({});
  await first.close({ graceMs: 0 });
  // Refused again and again, the caller waits the longest time between its attempts.
  for (const end = performance.now() + LEAVE_MS; performance.now() < end;) {
    await client.getEvent({});
  }
  await opened.server(echo, { port: first.port });
  let isClosed = false;
  const closed = second.close({ graceMs: GRACE_MS }).then(() => (isClosed = true));
  let failed = 0;
  while (!isClosed) await client.getEvent({}).catch(() => (failed += 1));
  await closed;
  return failed;
}

it("a caller has the other server back before it loses this one", async () => {
  expect(await rolledOver(LEAVE_MS)).toBe(0);
});

it("control: without the time to leave its calls fail", async () => {
  let failed = 0;
  // By chance the caller may try again in the very moment in which the server is back.
  for (let n = 0; n < CONTROLS && failed === 0; n += 1) failed = await rolledOver(0);
  expect(failed).toBeGreaterThan(0);
});

it("health says NOT_SERVING while calls are still answered", async () => {
  const server = await opened.server(echo, { leaveMs: LEAVE_MS });
  const { client } = opened.client(server.address);
  await client.getEvent({});
  const health = connectRpc({ address: server.address, service: Health });
  opened.add(() => health.close());
  const closed = server.close({ graceMs: 0 });
  expect((await health.client.check({})).status).toBe(ServingStatus.NOT_SERVING);
  expect((await client.getEvent({ id: "evt_1" })).event?.id).toBe("evt_1");
  await closed;
});

it("where nobody is connected it closes at once", async () => {
  const server = await opened.server(echo, { leaveMs: 60_000 });
  const started = performance.now();
  await server.close();
  expect(performance.now() - started).toBeLessThan(LEAVE_MS);
});
