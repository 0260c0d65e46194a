// Guarantee: a server that leaves answers what comes and tells its clients to go, so that none of them finds
// a connection closed under its request; it ends when they have gone, when they are quiet, and at once when
// there is none.

import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, get as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { leave } from "./leave.ts";

/** Well above the time in which nobody sends anything, well below the longest time to leave. */
const QUIET_BOUND_MS = 2_000;

async function serve() {
  const server = createServer((_, response) => response.end("{}"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const get = async () => {
    const request = send({ port, agent });
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    await once(answer.resume(), "end");
    return answer;
  };
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { server, get };
}

test("an answer while it leaves says that the connection closes, and the last one to go ends it", async () => {
  const { server, get } = await serve();
  expect((await get()).headers["connection"]).toBe("keep-alive");
  const left = leave(server);
  const answer = await get();
  expect(answer).toMatchObject({ statusCode: 200, headers: { connection: "close" } });
  const started = performance.now();
  await left;
  expect(performance.now() - started).toBeLessThan(QUIET_BOUND_MS);
});

test("it waits for a client that is connected and quiet, but not for long", async () => {
  const { server, get } = await serve();
  await get();
  const started = performance.now();
  await leave(server);
  expect(performance.now() - started).toBeGreaterThan(100);
  expect(performance.now() - started).toBeLessThan(QUIET_BOUND_MS);
});

test("it does not wait where nobody is connected", async () => {
  const { server } = await serve();
  const started = performance.now();
  await leave(server);
  expect(performance.now() - started).toBeLessThan(100);
});
