// The webhook receivers of the benchmark, in a process of their own. Each records when a delivery arrived and
// answers 204. Forked by receivers.ts. They must never verify or keep a body: that work is the subscriber's.

import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Arrival, ToReceivers } from "./receivers.ts";
import { sharedClockMs } from "./shared-clock.ts";

const SEQUENCE_NUMBER = /"sequence_number":(\d+)/;

let expected = 0;
/** Arrivals not reported yet. */
const arrivals: Arrival[] = [];

process.on("message", (message: ToReceivers) => {
  if ("count" in message) void listen(message).then((ports) => process.send?.(ports));
  else {
    expected = message.expected;
    tell();
  }
});
process.once("disconnect", () => process.exit());

async function listen({ count, cert, key }: Extract<ToReceivers, { count: number }>) {
  const servers = Array.from({ length: count }, () => createServer({ cert, key }));
  return Promise.all(servers.map(listenOne));
}

async function listenOne(server: Server): Promise<number> {
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const at = sharedClockMs();
      response.writeHead(204).end();
      note(Number(SEQUENCE_NUMBER.exec(Buffer.concat(chunks).toString("latin1"))?.[1]), at);
    });
  });
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  return (server.address() as AddressInfo).port;
}

/** A body without a number comes from the baseline: its arrival is not recorded. */
function note(sequenceNumber: number, at: number): void {
  if (Number.isNaN(sequenceNumber)) return;
  arrivals.push([sequenceNumber, at]);
  tell();
}

function tell(): void {
  if (expected === 0 || arrivals.length < expected) return;
  process.send?.(arrivals.splice(0, expected));
  expected = 0;
}
