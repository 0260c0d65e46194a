// Guarantee: a drain ends when its client closes, when it stalls, after its time, and after its bytes. Each
// piece counts, so that small ones cost no more than large ones. One client leaves half of the places to
// others.

import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { EarlyResponses, type EarlyResponsesOptions, MAX_DRAINED_BYTES } from "./early-response.ts";

const MIN_PIECE_BYTES = 1_024;
const MAX_PIECES = MAX_DRAINED_BYTES / MIN_PIECE_BYTES;
const MAX_LINGERING = 1_000;

/** Longer than any test takes. */
const LONG_MS = 60_000;

const open = (options: Partial<EarlyResponsesOptions> = {}) =>
  new EarlyResponses({ maxMs: LONG_MS, idleMs: LONG_MS, ...options });

/** Whether the drain goes on when the event loop has turned a few times. */
async function isOpen(drain: Promise<unknown>): Promise<boolean> {
  const turns = (async () => {
    for (let n = 0; n < 5; n += 1) await turn();
    return true;
  })();
  return Promise.race([drain.then(() => false), turns]);
}

test("it ends when the client has closed", async () => {
  const socket = new PassThrough();
  const drain = open().drain(socket, "a");
  expect(await isOpen(drain)).toBe(true);
  socket.end();
  await drain;
});

test("it ends when no byte comes, and when its time is over although some come", async () => {
  const silent = new PassThrough();
  await open({ idleMs: 50 }).drain(silent, "a");
  expect(silent.destroyed).toBe(false);
  const moving = new PassThrough();
  const timer = setInterval(() => moving.write("a"), 20);
  await open({ maxMs: 300 }).drain(moving, "a");
  clearInterval(timer);
});

test.each([
  ["small pieces", MAX_PIECES, 1],
  ["large pieces", MAX_DRAINED_BYTES / 65_536, 65_536],
])("it reads %s up to its bytes, and then no more", async (_, pieces, size) => {
  const socket = new PassThrough();
  const drain = open({ idleMs: 1_000 }).drain(socket, "a");
  let read = 0;
  socket.on("data", () => (read += 1));
  for (let n = 0; n < pieces; n += 1)
    if (!socket.write(Buffer.alloc(size))) await once(socket, "drain");
  await isOpen(drain);
  expect(read).toBe(pieces);
  expect(socket.isPaused()).toBe(false);
  socket.write(Buffer.alloc(size));
  await isOpen(drain);
  expect(socket.isPaused()).toBe(true);
  await drain;
});

test("a client has half of the places at most, and the next one half of the others", async () => {
  const early = open();
  const sockets: PassThrough[] = [];
  const drain = (holder: string) => {
    const socket = new PassThrough();
    sockets.push(socket);
    return early.drain(socket, holder);
  };
  const held = Array.from({ length: MAX_LINGERING / 2 }, () => drain("a"));
  expect(await isOpen(drain("a"))).toBe(false);
  expect(await isOpen(drain("b"))).toBe(true);
  for (const socket of sockets) socket.end();
  await Promise.all(held);
  expect(await isOpen(drain("a"))).toBe(true);
});
