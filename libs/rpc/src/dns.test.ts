// Guarantee: behind one DNS name all servers get calls, and one that starts later gets its share without a
// restart of the client, since connections age. The DNS server is the test's own; grpc-js asks it when the
// address names it (`dns://server:port/name:port`) and GRPC_NODE_USE_ALTERNATIVE_RESOLVER is set before the
// library is loaded. The servers need one port on several loopback addresses, which Linux has.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, expect, it, vi } from "vitest";
import { Opened } from "./testing/test-ledger.ts";

vi.hoisted(() => {
  process.env["GRPC_NODE_USE_ALTERNATIVE_RESOLVER"] = "true";
});

const opened = new Opened();
afterEach(() => opened.closeAll());

const HEADER_BYTES = 12;
const TYPE_A = 1;

/**
 * Answers each question for addresses with `addresses`, as they are at that moment. Returns its
 * `host:port`.
 */
async function startDns(addresses: readonly string[]): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const end = query.indexOf(0, HEADER_BYTES) + 5;
    const answers = query.readUInt16BE(end - 4) === TYPE_A ? addresses : [];
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180, 2);
    for (const [offset, count] of [1, answers.length, 0, 0].entries())
      header.writeUInt16BE(count, 4 + 2 * offset);
    // A pointer to the name, type A, class IN, a life of 0 s, four bytes.
    const records = answers.map((ip) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split(".").map(Number)]),
    );
    socket.send(
      Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]),
      peer.port,
      peer.address,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  opened.add(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

it("both servers of a name get calls, and a third started later gets its share", async () => {
  const counts: Record<string, number> = {};
  const start = (host: string, port: number) =>
    opened.server(
      { getEvent: () => ((counts[host] = (counts[host] ?? 0) + 1), {}) },
      { host, port, maxConnectionAgeMs: 300 },
    );
  const { port } = await start("127.0.0.1", 0);
  await start("127.0.0.2", port);
  const addresses = ["127.0.0.1", "127.0.0.2"];
  const dns = await startDns(addresses);
  const { client } = opened.client(`dns://${dns}/ledger.test:${port}`);
  await vi.waitFor(async () => {
    await client.getEvent({});
    expect(Object.keys(counts)).toHaveLength(2);
  });
  await start("127.0.0.3", port);
  addresses.push("127.0.0.3");
  await vi.waitFor(
    async () => {
      await client.getEvent({});
      expect(Object.keys(counts)).toHaveLength(3);
    },
    { timeout: 5_000, interval: 5 },
  );
  for (const host of addresses) counts[host] = 0;
  for (let n = 0; n < 600; n++) await client.getEvent({});
  for (const host of addresses) expect(counts[host]).toBeGreaterThan(100);
});
