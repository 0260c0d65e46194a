// Guarantee: however much a receiver sends back, an attempt holds no memory for it: a body of 1 GiB, endless
// chunks and headers, a gzip bomb of 1 GiB, 10 MB of headers.

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { flood, newSender, newSubscriber, rawServer } from "../testing/receivers.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Bytes sent to all attempts together, including what fills the socket buffers. */
const MAX_SENT = 256 * MIB;

describe("size", () => {
  /** What `work` adds to the memory of this process at its highest. */
  const growth = async (work: () => Promise<unknown>): Promise<number> => {
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let highest = before;
    const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10);
    await work();
    clearInterval(timer);
    return highest - before;
  };
  const CHUNK = Buffer.alloc(64 * 1024, "x");

  /** Ten at once. */
  const expectSmall = async (url: string, expected: object): Promise<void> => {
    const { send } = newSender();
    await send(url);
    const grown = await growth(async () => {
      const results = await Promise.all(Array.from({ length: 10 }, () => send(url)));
      for (const result of results) expect(result).toMatchObject(expected);
    });
    expect(grown).toBeLessThan(50 * MIB);
  };

  test.each([
    ["a body of 1 GiB", `HTTP/1.1 200 OK\r\ncontent-length: ${GIB}\r\n\r\n`, "success", 200],
    ["endless headers", "HTTP/1.1 200 OK\r\nx: ", "invalid_response", null],
    ["an endless status line", "HTTP/1.1 200 ", "invalid_response", null],
  ])("%s", async (_name, head, outcome, statusCode) => {
    let sent = 0;
    const url = await rawServer((socket) => {
      socket.write(head);
      flood(socket, CHUNK, { onWrite: (bytes) => (sent += bytes) });
    });
    await expectSmall(url, { outcome, statusCode });
    // The eleven attempts ended long before all of it was sent.
    expect(sent).toBeLessThan(MAX_SENT);
  });

  test("10 MB of headers, and then a response", async () => {
    const lines = Buffer.from(`x-name: ${"y".repeat(1_000)}\r\n`.repeat(64));
    const times = Math.ceil((10 * MIB) / lines.length);
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      flood(socket, lines, { times, last: "content-length: 0\r\n\r\n" });
    });
    await expectSmall(url, { outcome: "invalid_response", statusCode: null });
  });

  test("endless chunks", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n");
      flood(socket, Buffer.concat([Buffer.from("10000\r\n"), CHUNK, Buffer.from("\r\n")]));
    });
    await expectSmall(url, { outcome: "refused", statusCode: 500 });
  });

  test("a gzip bomb of 1 GiB is not decompressed", async () => {
    const subscriber = await newSubscriber();
    // The members of a gzip file follow each other (RFC 1952, 2.2).
    const member = gzipSync(Buffer.alloc(GIB / 16));
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => member));
    subscriber.answer = (response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    await expectSmall(subscriber.url(), { outcome: "success", statusCode: 200 });
  });
});
