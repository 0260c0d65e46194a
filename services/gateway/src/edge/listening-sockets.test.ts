// Guarantee: many connections are accepted in few turns of the event loop, the server gets all of them, they
// are counted, the port is shared with no other process, and the end waits for the last connection.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, get as send, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { listening } from "../testing/in-flight-server.ts";
import { ListeningSockets } from "./listening-sockets.ts";

const HOST = "127.0.0.1";
const CLIENTS = 256;
/** With one socket it takes as many turns as there are clients; with 16 of them, some 25. */
const TURNS = CLIENTS / 2;

async function serve(port = 0) {
  const server = createServer((_, response) => response.end("{}"));
  const sockets = new ListeningSockets(server);
  // After the connections were closed, which is what `listening` does.
  onTestFinished(() => sockets.ended());
  await sockets.open({ host: HOST, port }, (options) => listening(server, options));
  onTestFinished(() => sockets.stop());
  return { server, sockets, port: (server.address() as AddressInfo).port };
}

/** Connects from a process of its own, and does nothing else until it has: the kernel queues them all. */
function connectAll(port: number): void {
  const program = `
    let open = 0;
    const opened = () => ++open === ${CLIENTS} && process.exit();
    for (let n = 0; n < ${CLIENTS}; n += 1) require("node:net").connect(${port}, "${HOST}", opened);`;
  execFileSync(process.execPath, ["-e", program]);
}

test("connections that come together are accepted in few turns", async () => {
  const { server, port } = await serve();
  let accepted = 0;
  server.on("connection", () => (accepted += 1));
  connectAll(port);
  let turns = 0;
  for (; accepted < CLIENTS; await turn()) turns += 1;
  expect(turns).toBeLessThan(TURNS);
});

test("a port that another server has is refused, also one that shares its own", async () => {
  const { port } = await serve();
  await expect(serve(port)).rejects.toMatchObject({ code: "EADDRINUSE", syscall: "listen", port });
});

test("the end waits for the last connection", async () => {
  const { server, sockets, port } = await serve();
  const agent = new Agent({ keepAlive: true });
  // Each is on another socket than the server's own, 15 of 16 times.
  const answers = await Promise.all(
    Array.from({ length: 32 }, async () => {
      const request = send({ host: HOST, port, agent });
      const [answer] = (await once(request, "response")) as [IncomingMessage];
      await once(answer.resume(), "end");
      return answer;
    }),
  );
  expect(await sockets.connections()).toBe(answers.length);
  sockets.stop();
  let hasEnded = false;
  const ended = sockets.ended().then(() => (hasEnded = true));
  await turn();
  expect(hasEnded).toBe(false);
  server.closeIdleConnections();
  await ended;
});
