// Guarantee: an attempt reads a bounded number of bytes of its receiver, counted on the connection: endless
// responses of status 1xx, chunk extensions, trailers and headers end it early. While ten such attempts are
// made, a delivery to another receiver arrives.

import { describe, expect, test } from "vitest";
import { flood, newSender, newSubscriber, rawServer } from "../testing/receivers.ts";

/**
 * What the attempt may read, what the sockets of both ends hold, and what is written before their end shows.
 */
const MAX_SENT = 8 * 1024 * 1024;

const HEAD = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const EXTENSION = `1;${"a".repeat(1_000)}\r\nx\r\n`;

const HOSTILE: readonly (readonly [string, string, string, object])[] = [
  [
    "responses of status 103",
    "",
    "HTTP/1.1 103 Early Hints\r\n\r\n",
    { outcome: "invalid_response", statusCode: null },
  ],
  [
    "responses of status 100",
    "",
    "HTTP/1.1 100 Continue\r\n\r\n",
    { outcome: "invalid_response", statusCode: null },
  ],
  ["chunk extensions", HEAD, EXTENSION, { outcome: "success", statusCode: 200 }],
  ["one chunk extension", `${HEAD}1;`, "a".repeat(1_000), { statusCode: 200 }],
  ["trailers", `${HEAD}0\r\n`, `x-t: ${"y".repeat(500)}\r\n`, { statusCode: 200 }],
  [
    "headers",
    "HTTP/1.1 200 OK\r\n",
    `x-h: ${"y".repeat(500)}\r\n`,
    { outcome: "invalid_response" },
  ],
  ["a body", "HTTP/1.1 200 OK\r\n\r\n", "y".repeat(1_000), { outcome: "success" }],
];

describe("an endless stream of", () => {
  test.each(HOSTILE)("%s", async (_name, head, piece, expected) => {
    let sent = 0;
    const chunk = Buffer.from(piece.repeat(Math.ceil((64 * 1024) / piece.length)));
    const url = await rawServer((socket) => {
      socket.write(head);
      flood(socket, chunk, { onWrite: (bytes) => (sent += bytes) });
    });
    const healthy = await newSubscriber();
    const { send } = newSender();
    await send(healthy.url());
    const attempts = Array.from({ length: 10 }, () => send(url));
    const other = await send(healthy.url());
    const results = await Promise.all(attempts);
    expect(other).toMatchObject({ outcome: "success" });
    for (const result of results) expect(result).toMatchObject(expected);
    expect(sent).toBeLessThan(10 * MAX_SENT);
  });
});

test("responses of status 100, 102 and 103 may come before the final one, and the connection is used again", async () => {
  const subscriber = await newSubscriber();
  subscriber.answer = (response) => {
    response.writeContinue();
    response.writeProcessing();
    response.writeEarlyHints({ link: "</a.css>; rel=preload" });
    response.writeEarlyHints({ link: "</b.css>; rel=preload" });
    response.end("thanks");
  };
  const { send } = newSender();
  for (let i = 0; i < 20; i++) {
    expect(await send(subscriber.url())).toMatchObject({ outcome: "success", statusCode: 200 });
  }
  expect(subscriber.connections).toBe(1);
});

test("a body of 64 KiB is read whole: the connection is used again, however many there were", async () => {
  const subscriber = await newSubscriber();
  subscriber.answer = (response) => void response.end("x".repeat(64 * 1024));
  const { send } = newSender();
  for (let i = 0; i < 5; i++)
    expect(await send(subscriber.url())).toMatchObject({ statusCode: 200 });
  expect(subscriber.connections).toBe(1);
  subscriber.answer = (response) => void response.end("x".repeat(64 * 1024 + 1));
  for (let i = 0; i < 2; i++) {
    expect(await send(subscriber.url())).toMatchObject({ outcome: "success", statusCode: 200 });
  }
  expect(subscriber.connections).toBe(2);
});
