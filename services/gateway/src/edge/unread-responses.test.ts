// Guarantee: what clients have not read of their answers counts as bytes of the account, or of the address
// without a key. Beyond that the answer that was unread longest is abandoned, and no other. What was
// read counts no more. A client that reads nothing is disconnected, and one that reads slowly is not.

import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { ANONYMOUS_BYTES, BYTES, closed, head, openServer } from "../testing/in-flight-server.ts";

/** More than the kernel takes of one connection at once. */
const DEAF_BYTES = 24 * 1024 * 1024;
const KEY = "Authorization: a key";

type Server = Awaited<ReturnType<typeof openServer>>;

/** A client that reads nothing, and its request. */
async function deaf({ areHeld, held, socket }: Server, ...headers: string[]) {
  const before = held.length;
  const one = await socket(head("GET /", ...headers));
  one.pause();
  await areHeld(before + 1);
  const exchanged = held[before];
  if (!exchanged) throw new Error("no request");
  const [request, response] = exchanged;
  return { one, request, response };
}

const isOpen = ({ one }: { readonly one: Socket }) => !one.destroyed;

test("an answer that was read at once counts nothing, a small one that was not at least 4 KiB", async () => {
  const server = await openServer();
  const { inFlight, held, areHeld, socket, released } = server;
  const reading = await socket(head("GET /", KEY));
  await areHeld(1);
  const [[request, response] = []] = held;
  if (!request || !response) throw new Error("no request");
  inFlight.authenticated(request, "acct_1");
  inFlight.responded(request, 1);
  expect(inFlight.used()).toMatchObject({ requests: 0, unread_bytes: 4 * 1024 });
  response.end("x");
  await released();
  reading.write(head("GET /", KEY));
  await areHeld(2);
  const [, [next, nextResponse] = []] = held;
  if (!next || !nextResponse) throw new Error("no second request");
  inFlight.authenticated(next, "acct_1");
  nextResponse.end("x".repeat(1_000));
  inFlight.responded(next);
  expect(inFlight.used().unread_bytes).toBe(0);
  await released();
  reading.destroy();
});

test("beyond an address's share its longest unread answer is abandoned, and no other", async () => {
  const server = await openServer({ responseWindowMs: 60_000 });
  const { inFlight, refused, released } = server;
  const another = await deaf(server);
  const unread = [another, await deaf(server)];
  for (const { request } of unread) inFlight.responded(request, ANONYMOUS_BYTES / 2);
  expect(inFlight.used()).toMatchObject({ anonymous: 0, anonymous_bytes: ANONYMOUS_BYTES });
  const ofAccount = await deaf(server, KEY);
  inFlight.authenticated(ofAccount.request, "acct_1");
  inFlight.responded(ofAccount.request, BYTES);
  const last = await deaf(server);
  inFlight.responded(last.request, ANONYMOUS_BYTES / 2);
  expect(refused).toStrictEqual(["anonymous_bytes_share"]);
  expect(inFlight.used()).toMatchObject({ anonymous_bytes: ANONYMOUS_BYTES, unread_bytes: BYTES });
  await vi.waitFor(() => expect(another.request.socket.destroyed).toBe(true));
  expect([unread[1], ofAccount, last].map((one) => one && isOpen(one))).toEqual([true, true, true]);
  for (const { one } of [...unread, ofAccount, last]) one.destroy();
  await released();
});

test("an answer that is not made yet is refused beyond the account's share, one that exists is kept", async () => {
  const server = await openServer({ responseWindowMs: 60_000 });
  const { inFlight, refused, released } = server;
  const [first, second] = [await deaf(server, KEY), await deaf(server, KEY)];
  for (const { request } of [first, second]) inFlight.authenticated(request, "acct_1");
  inFlight.reserveResponse(first.request, BYTES);
  expect(() => inFlight.reserveResponse(second.request, 1)).toThrow("Too many unread responses");
  expect(refused).toStrictEqual(["unread_bytes_share"]);
  inFlight.responded(first.request);
  inFlight.responded(second.request, BYTES);
  expect(inFlight.used().unread_bytes).toBe(2 * BYTES);
  // An account has half of all at most.
  const third = await deaf(server, KEY);
  inFlight.authenticated(third.request, "acct_1");
  inFlight.responded(third.request, BYTES);
  expect(inFlight.used().unread_bytes).toBe(2 * BYTES);
  await vi.waitFor(() => expect(first.request.socket.destroyed).toBe(true));
  for (const { one } of [first, second, third]) one.destroy();
  await released();
});

test("a client that does not read is disconnected, and one that reads is not", async () => {
  const server = await openServer();
  const { areHeld, held, inFlight, refused, released, socket } = server;
  const piece = Buffer.alloc(64 * 1024);
  const silent = await deaf(server, KEY);
  const reading = await socket(head("GET /", KEY));
  await areHeld(2);
  let received = 0;
  // Slowly: a piece at a time, for longer than the windows.
  reading.on("data", (chunk: Buffer) => {
    received += chunk.length;
    reading.pause();
    setTimeout(() => reading.resume(), 1);
  });
  const pieces = DEAF_BYTES / piece.length;
  for (const [request, response] of held) {
    Readable.from(Array.from({ length: pieces }, () => piece)).pipe(response);
    inFlight.responded(request, piece.length);
  }
  const isClosed = closed(silent.request.socket);
  await vi.waitFor(() => expect(refused).toContain("slow_reader"), 6_000);
  await isClosed;
  await vi.waitFor(() => expect(received).toBeGreaterThan(DEAF_BYTES), 20_000);
  expect(refused).toStrictEqual(["slow_reader"]);
  await released();
});
