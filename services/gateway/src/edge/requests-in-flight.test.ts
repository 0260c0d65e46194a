// Guarantee: an account and an address hold no more than their shares, the rest is refused at once in the
// error shape, and whatever a request held is released when it ends, however it ends. A client that sends or
// reads too slowly is disconnected.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { EarlyAnswers } from "./early-answer.ts";
import { RequestsInFlight } from "./requests-in-flight.ts";

const TOTAL = 8;
const SHARE = 2;
const BYTES = 4 * 1024 * 1024;
const WINDOW_MS = 600;
const WAIT_MS = 200;
const NOTHING = { requests: 0, bytes: 0, downloads: 0, lists: 0, verifications: 0 };

type Exchanged = readonly [IncomingMessage, ServerResponse];

/** A server whose requests the test answers. */
async function open(transfers = { bodyWindowMs: WINDOW_MS, answerWindowMs: WINDOW_MS }) {
  const held: Exchanged[] = [];
  const refused: string[] = [];
  const clientErrors: string[] = [];
  const server = createServer((request, response) => {
    request.on("error", () => {});
    held.push([request, response]);
  });
  server.on("clientError", (error: Error & { code?: string }, socket) => {
    clientErrors.push(error.code ?? error.message);
    socket.destroy();
  });
  const some = { total: TOTAL, share: SHARE };
  const inFlight = new RequestsInFlight({
    shares: {
      requests: some,
      bytes: { total: 4 * BYTES, share: BYTES },
      downloads: some,
      lists: { ...some, waitMs: WAIT_MS },
      verifications: some,
    },
    transfers: { minBytesPerSecond: 10_000, ...transfers },
    addressOf: ({ headers }) => String(headers["from"]),
    earlyAnswers: new EarlyAnswers(),
    limit: 100,
    newRequestId: () => "req_1",
    accessLog: { record: () => {} },
    metrics: {
      onRefused: ({ method = "" }) => refused.push(method),
      refused: (reason) => refused.push(reason),
    },
  });
  inFlight.bound(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = (from = "a", init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}/`, { ...init, headers: { from } });
  const socket = async (text: string): Promise<Socket> => {
    const one = connect(port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void one.destroy());
    await once(one, "connect");
    one.write(text);
    return one;
  };
  const areHeld = (count: number) => vi.waitFor(() => expect(held).toHaveLength(count));
  const released = () => vi.waitFor(() => expect(inFlight.used()).toStrictEqual(NOTHING), 3_000);
  return { ask, areHeld, clientErrors, held, inFlight, refused, released, socket };
}

const head = (start: string, ...headers: string[]) =>
  [`${start} HTTP/1.1`, "Host: x", "From: a", ...headers, "\r\n"].join("\r\n");

test("an address leaves half of the slots to others, and a finished request frees its slot", async () => {
  const { ask, areHeld, held, refused, released } = await open();
  const first = Array.from({ length: TOTAL / 2 }, () => ask());
  await areHeld(TOTAL / 2);
  const answer = await ask("a", { method: "POST", body: "x".repeat(1_000_000) });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toEqual({
    error: { type: "server_error", message: expect.any(String) },
  });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    connection: "close",
    "content-type": "application/json; charset=utf-8",
    "retry-after": expect.stringMatching(/^[1-9]\d*$/),
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": "100",
    "x-request-id": "req_1",
  });
  expect(refused).toStrictEqual(["POST", "requests_total"]);
  const other = ask("b");
  await areHeld(TOTAL / 2 + 1);
  for (const [, response] of held) response.end();
  await Promise.all([...first, other]);
  await released();
});

test("an account holds no more than its share, whatever addresses it comes from", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await open();
  const asked = Array.from({ length: TOTAL / 2 }, (_, n) => ask(`address ${n}`));
  await areHeld(TOTAL / 2);
  const outcomes = held.map(([request]) => {
    try {
      inFlight.authenticated(request, "acct_1");
      return "has a slot";
    } catch (error) {
      return error;
    }
  });
  const limited = expect.objectContaining({ kind: "rate_limited", retryAfterS: 1 });
  expect(outcomes).toEqual(["has a slot", "has a slot", limited, limited]);
  expect(refused).toStrictEqual(["requests_share", "requests_share"]);
  expect(inFlight.used().requests).toBe(SHARE);
  for (const [, response] of held) response.end();
  await Promise.all(asked);
  await released();
});

test("a list beyond its account's share waits, and is refused when the time is over or its client leaves", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await open();
  const asked = Promise.allSettled(
    Array.from({ length: SHARE + 3 }, (_, n) => ask(`address ${n}`)),
  );
  await areHeld(SHARE + 3);
  const outcomes = held.map(([request]) =>
    inFlight.takeInTime(request, "lists", "acct_1").catch((error: unknown) => error),
  );
  await Promise.all(outcomes.slice(0, SHARE));
  expect([inFlight.used().lists, refused]).toStrictEqual([SHARE, []]);
  held[0]?.[1].end();
  expect(await outcomes[SHARE]).toBeUndefined();
  held[SHARE + 1]?.[1].destroy();
  expect(await outcomes[SHARE + 1]).toBeUndefined();
  expect(inFlight.used().lists).toBe(SHARE);
  expect(await outcomes[SHARE + 2]).toMatchObject({ kind: "rate_limited", retryAfterS: 1 });
  expect(refused).toStrictEqual(["lists_share"]);
  for (const [, response] of held) response.end();
  await asked;
  await released();
});

test("a list that waited is not made for an account that leaves large answers unread", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await open();
  const asked = Promise.all(Array.from({ length: SHARE + 2 }, (_, n) => ask(`address ${n}`)));
  await areHeld(SHARE + 2);
  const [[unread] = []] = held;
  const outcomes = held.map(([request]) =>
    inFlight.takeInTime(request, "lists", "acct_1").catch((error: unknown) => error),
  );
  await Promise.all(outcomes.slice(0, SHARE));
  if (unread) inFlight.take(unread, "bytes", "acct_1", BYTES / 2);
  held[1]?.[1].end();
  expect(await outcomes[SHARE]).toBeUndefined();
  if (unread) inFlight.take(unread, "bytes", "acct_1", 1);
  held[SHARE]?.[1].end();
  expect(await outcomes[SHARE + 1]).toMatchObject({ kind: "rate_limited" });
  expect(refused).toStrictEqual(["bytes_share"]);
  for (const [, response] of held) response.end();
  await asked;
  await released();
});

test("whatever is held is released when the client answers, resets, or leaves with requests in its pipeline", async () => {
  const { areHeld, held, inFlight, released, socket } = await open();
  const take = (from: number) => {
    for (const [request] of held.slice(from)) {
      inFlight.take(request, "bytes", "acct_1", 100);
      inFlight.take(request, "downloads", `acct_${from}`);
    }
  };
  const get = head("GET /");
  for (let round = 0; round < 20; round += 1) {
    const from = held.length;
    const one = await socket(get + get);
    await areHeld(from + 2);
    take(from);
    expect(inFlight.used()).toMatchObject({ requests: 2, bytes: 200, downloads: 2 });
    if (round % 4 === 0) held.slice(from).forEach(([, response]) => response.end("done"));
    else if (round % 4 === 1) one.resetAndDestroy();
    else if (round % 4 === 2) one.destroy();
    else held.at(from)?.[1].destroy();
    await released();
    // An answer that comes too late must not release anything again.
    held.slice(from).forEach(([, response]) => response.end("late"));
    expect(inFlight.used()).toStrictEqual(NOTHING);
  }
});

test("a body in chunks counts as it comes, and one that is too much ends", async () => {
  const { areHeld, clientErrors, held, inFlight, released, socket } = await open();
  const one = await socket(head("POST /", "Transfer-Encoding: chunked"));
  await areHeld(1);
  const [[request] = []] = held;
  if (!request) throw new Error("no request");
  inFlight.readBody(request, "acct_1");
  one.write(`400\r\n${"x".repeat(1_024)}\r\n`);
  await vi.waitFor(() => expect(inFlight.used().bytes).toBe(1_024));
  const closed = new Promise((resolve) => one.once("close", resolve));
  while (!one.destroyed && one.writableLength < 2 * BYTES) {
    one.write(`10000\r\n${"x".repeat(65_536)}\r\n`);
  }
  await closed;
  expect(clientErrors).toStrictEqual([expect.stringContaining("too large together")]);
  await released();
});

test("a body that stalls ends, and one that moves does not", async () => {
  const { areHeld, clientErrors, held, inFlight, refused, released, socket } = await open();
  const stalled = await socket(head("POST /", "Content-Length: 100000") + "x");
  const moving = await socket(head("POST /", "Content-Length: 1000000"));
  await areHeld(2);
  for (const [request] of held) {
    inFlight.readBody(request, "acct_1");
    request.resume();
  }
  expect(inFlight.used().bytes).toBe(1_100_000);
  const timer = setInterval(() => moving.write("x".repeat(5_000)), 50);
  await new Promise((resolve) => stalled.once("close", resolve));
  expect(clientErrors).toStrictEqual(["ERR_HTTP_REQUEST_TIMEOUT"]);
  await vi.waitFor(() => expect(moving.bytesWritten).toBeGreaterThan(150_000), 5_000);
  expect(refused).toStrictEqual(["slow_body"]);
  clearInterval(timer);
  moving.destroy();
  await released();
});

test("a client that does not read is disconnected, and one that reads is not", async () => {
  const { areHeld, held, inFlight, refused, released, socket } = await open();
  const PIECES = 512;
  const piece = Buffer.alloc(64 * 1024);
  const deaf = await socket(head("GET /"));
  await areHeld(1);
  deaf.pause();
  const reading = await socket(head("GET /"));
  await areHeld(2);
  let received = 0;
  // Slowly: a piece at a time, for longer than the window.
  reading.on("data", (chunk: Buffer) => {
    received += chunk.length;
    reading.pause();
    setTimeout(() => reading.resume(), 1);
  });
  for (const [, response] of held)
    Readable.from(Array.from({ length: PIECES }, () => piece)).pipe(response);
  for (const [request] of held) inFlight.take(request, "bytes", "acct_1", 1_000);
  await vi.waitFor(() => expect(refused).toContain("slow_reader"), 5_000);
  await vi.waitFor(() => expect(received).toBeGreaterThan(PIECES * piece.length), 20_000);
  expect(refused).toStrictEqual(["slow_reader"]);
  await released();
});

test("a connection with too many requests in its pipeline is closed", async () => {
  const { areHeld, refused, released, socket } = await open();
  const one = await socket(head("GET /").repeat(2));
  await areHeld(2);
  one.write(head("GET /").repeat(31));
  await new Promise((resolve) => one.once("close", resolve));
  expect(refused.filter((reason) => reason === "pipeline")).toHaveLength(1);
  await released();
});
