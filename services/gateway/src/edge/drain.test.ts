// Guarantee: a draining server answers requests and asks its clients to close, so that no request fails on a
// closed connection. After its delay it ends when no client sends requests, and at once if none is
// connected. A client that comes back on a new connection is served, also by a process that was late to read
// it.

import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, get as send } from "node:http";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { listening } from "../testing/in-flight-server.ts";
import { drain } from "./drain.ts";

/** Well above the idle time. */
const LATE_MS = 2_000;
const DELAY_MS = 600;
/** More than it takes to end at once. */
const MIN_WAIT_MS = 100;

const IS_SENT = new Int32Array(new SharedArrayBuffer(4));
/** Opens a connection, sends one request and posts the status of its response, or what failed. */
const SEND_ONCE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { get } = require("node:http");
  get({ port: workerData.port, agent: false }, ({ statusCode }) => parentPort.postMessage(statusCode))
    .on("error", ({ message }) => parentPort.postMessage(message))
    .on("finish", () => {
      Atomics.store(workerData.isSent, 0, 1);
      Atomics.notify(workerData.isSent, 0);
    });
`;

async function serve() {
  const server = createServer((_, response) => response.end("{}"));
  const port = await listening(server);
  const agent = new Agent({ keepAlive: true });
  const get = async () => {
    const request = send({ port, agent });
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    await once(answer.resume(), "end");
    return answer;
  };
  onTestFinished(() => agent.destroy());
  const connections = promisify(server.getConnections.bind(server));
  let polls = 0;
  const drained = (delayMs = 0) =>
    drain(server, {
      delayMs,
      connections: async () => {
        polls += 1;
        return (await connections()) ?? 0;
      },
    });
  return { server, port, get, drained, polls: () => polls };
}

test("a response while draining closes the connection, and the client can come back on a new one", async () => {
  const { get, drained } = await serve();
  expect((await get()).headers["connection"]).toBe("keep-alive");
  const ended = drained();
  const answer = await get();
  expect(answer).toMatchObject({ statusCode: 200, headers: { connection: "close" } });
  const started = performance.now();
  await ended;
  expect(performance.now() - started).toBeGreaterThan(MIN_WAIT_MS);
});

test("a process that got no CPU for a while serves what came in meanwhile", async () => {
  const { server, port, get, drained } = await serve();
  await get();
  const ended = drained().then(() => server.close());
  await get();
  const client = new Worker(SEND_ONCE, { eval: true, workerData: { port, isSent: IS_SENT } });
  onTestFinished(async () => void (await client.terminate()));
  const answered = once(client, "message");
  // This thread does nothing from the moment of the request until the time of draining is over by far.
  Atomics.wait(IS_SENT, 0, 0);
  Atomics.wait(IS_SENT, 0, 1, LATE_MS);
  expect(await answered).toStrictEqual([200]);
  await ended;
});

test("it waits for an idle client, but not for long", async () => {
  const { get, drained } = await serve();
  await get();
  const started = performance.now();
  await drained();
  expect(performance.now() - started).toBeGreaterThan(MIN_WAIT_MS);
});

test("it does not wait without connections", async () => {
  const { drained, polls } = await serve();
  await drained();
  expect(polls()).toBe(1);
});

test("it serves for its delay, even if no client is connected, and asks each client to close", async () => {
  const { get, drained } = await serve();
  const started = performance.now();
  const ended = drained(DELAY_MS);
  // The second one opens a connection of its own, after the first was closed.
  for (let n = 0; n < 2; n += 1) expect((await get()).headers["connection"]).toBe("close");
  await ended;
  expect(performance.now() - started).toBeGreaterThanOrEqual(DELAY_MS - 1);
});
