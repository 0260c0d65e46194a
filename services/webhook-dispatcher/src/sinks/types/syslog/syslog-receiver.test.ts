// Guarantee: events arrive at a syslog server over TLS, framed and in order, each batch by a connection of
// its own. A batch is accepted when the server has read it; a server that hangs, closes, or refuses ends it
// by the deadline.

import { trustedContext } from "@annals/chassis";
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTls, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { authority, flood } from "../../../testing/receivers.ts";
import {
  ACCOUNT,
  newReceiver,
  sendBatch,
  sinkRecord,
  sinkRecords,
} from "../../../testing/sink-receivers.ts";
import { AddressGuard } from "../../../outbound/address-guard.ts";
import type { SinkDeps } from "../../receiver/sink-http.ts";
import { syslogFrame } from "./syslog-message.ts";

const RECORDS = sinkRecords(1, 100);
const TIMEOUT_MS = 400;
const framesOf = (records = RECORDS) =>
  Buffer.concat(records.map((record) => syslogFrame(ACCOUNT, record))).toString();

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that keeps what it gets, and does more with each connection. */
async function start(
  onConnection: (socket: TLSSocket) => void = () => {},
  options: {
    readonly allowHalfOpen?: boolean;
    readonly host?: string;
    readonly requestCert?: boolean;
  } = {},
) {
  const { host = "127.0.0.1", ...more } = options;
  const sockets: TLSSocket[] = [];
  let text = "";
  const certificate = await authority.issue([host]);
  const server = createTls({ ...certificate, ...more, ca: authority.cert }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => (text += chunk.toString()));
    onConnection(socket);
  });
  server.on("tlsClientError", () => {});
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const port = await listen(server);
  return { port, sockets, text: () => text };
}

function receiverOf(port: number, deps: Partial<SinkDeps> = {}) {
  return newReceiver({ type: "syslog", host: "127.0.0.1", port }, deps);
}

test("batches arrive in order", async () => {
  const server = await start();
  const receiver = receiverOf(server.port);
  for (let from = 1; from <= 201; from += 100) {
    const records = sinkRecords(from, from + 99);
    expect(await sendBatch(receiver, records)).toMatchObject({ outcome: "accepted" });
    expect(server.text()).toBe(framesOf(sinkRecords(1, from + 99)));
  }
});

test("a batch is accepted when the server has read it", async () => {
  const connected = Promise.withResolvers<TLSSocket>();
  const server = await start((socket) => connected.resolve(socket.pause()));
  let isOver = false;
  const sending = sendBatch(receiverOf(server.port), RECORDS).finally(() => (isOver = true));
  const socket = await connected.promise;
  // Each takes as long as the first would if it did not wait for its server.
  const other = await start();
  await sendBatch(receiverOf(other.port), RECORDS);
  await sendBatch(receiverOf(other.port), RECORDS);
  expect(isOver).toBe(false);
  socket.resume();
  expect(await sending).toMatchObject({ outcome: "accepted" });
  expect(server.text()).toBe(framesOf());
});

test("a record larger than any datagram arrives whole", async () => {
  const server = await start();
  const large = sinkRecord(1, { json: JSON.stringify({ text: "x".repeat(200_000) }) });
  expect(await sendBatch(receiverOf(server.port), [large])).toMatchObject({ outcome: "accepted" });
  expect(server.text()).toBe(framesOf([large]));
});

describe("a server that", () => {
  const sent = async (port: number, deps: Partial<SinkDeps> = {}) => {
    return sendBatch(receiverOf(port, { timeoutMs: TIMEOUT_MS, ...deps }), RECORDS);
  };

  test("closes each connection at once", async () => {
    const server = await start((socket) => socket.end());
    expect(await sent(server.port, { timeoutMs: 5_000 })).toMatchObject({
      outcome: "connection",
      error: "The receiver closed the connection.",
    });
  });

  test("drops each connection at the first byte", async () => {
    const server = await start((socket) => socket.once("data", () => socket.destroy()));
    expect(await sent(server.port, { timeoutMs: 5_000 })).toMatchObject({ outcome: "connection" });
  });

  test("wants a certificate of its clients, and refuses after their handshake", async () => {
    const server = await start(undefined, { requestCert: true });
    const result = await sent(server.port, { timeoutMs: 5_000 });
    expect(result.outcome).not.toBe("accepted");
    expect(server.text()).toBe("");
  });

  test("accepts a connection and says nothing", async () => {
    const sockets: Socket[] = [];
    const port = await listen(createTcp((socket) => void sockets.push(socket)));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    expect(await sent(port)).toMatchObject({
      outcome: "timeout",
      error: expect.stringContaining("did not respond within"),
    });
  });

  test("closes each connection without reading what has arrived", async () => {
    const server = await start((socket) => {
      socket.pause();
      setTimeout(() => socket.destroy(), 50);
    });
    const result = await sent(server.port, { timeoutMs: 5_000 });
    expect(result.outcome).toBe("connection");
  });

  test("reads, and never ends its side", async () => {
    const server = await start(() => {}, { allowHalfOpen: true });
    expect(await sent(server.port)).toMatchObject({
      outcome: "timeout",
      error: expect.stringContaining("did not respond within"),
    });
    expect(server.text()).toBe(framesOf());
  });

  test("never reads", async () => {
    const server = await start((socket) => {
      socket.removeAllListeners("data");
      socket.pause();
    });
    const large = sinkRecord(1, { json: JSON.stringify({ text: "x".repeat(64 * 1024 * 1024) }) });
    const receiver = receiverOf(server.port, { timeoutMs: 1_500 });
    expect(await sendBatch(receiver, [large])).toMatchObject({ outcome: "timeout" });
  });

  test("floods its client", async () => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, "x");
    const server = await start((socket) =>
      flood(socket, chunk, { onWrite: (bytes) => (written += bytes) }),
    );
    expect(await sent(server.port, { timeoutMs: 5_000 })).toMatchObject({
      outcome: "invalid_response",
    });
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  test("has a certificate of another name", async () => {
    const server = await start(undefined, { host: "other.example.com" });
    expect(await sent(server.port)).toMatchObject({ outcome: "tls" });
    expect(server.text()).toBe("");
  });

  test("has a certificate of an unknown authority", async () => {
    const server = await start();
    const secureContext = trustedContext(undefined);
    expect(await sent(server.port, { secureContext })).toMatchObject({ outcome: "tls" });
    expect(server.text()).toBe("");
  });

  test("is not there", async () => {
    const server = createTcp(() => {});
    const port = await listen(server);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(await sent(port)).toMatchObject({
      outcome: "connection",
      error: "The connection failed (ECONNREFUSED).",
    });
  });
});

test.each(["127.0.0.1", "siem.example.com"])(
  "the private host %s is not connected to",
  async (host) => {
    const server = await start();
    const guard = new AddressGuard({
      allowPrivateAddresses: false,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    const receiver = newReceiver({ type: "syslog", host, port: server.port }, { guard });
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "address",
      error: "The host has no address that may be connected to.",
    });
    expect(server.sockets).toEqual([]);
  },
);

test("a batch is left when the service stops", async () => {
  const port = await listen(createTcp(() => {}));
  const stopping = new AbortController();
  const sending = sendBatch(receiverOf(port), RECORDS, {}, stopping.signal);
  setImmediate(() => stopping.abort());
  expect(await sending).toMatchObject({ outcome: "abandoned" });
});
