// Guarantee: the requests of a connection begin one after the other, and 32 may be unanswered. What waits is
// bounded in memory, and is released when the client leaves. A connection with too many is closed later, and
// not read meanwhile. Behind an answer that ends the connection none begins.

import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { ANONYMOUS_BYTES, closed, head, NOTHING, openServer } from "../testing/in-flight-server.ts";

/** What a request that waits counts, with its URL. */
const WAITING_BYTES = 4 * 1024 + "/".length;
const MAX_PIPELINE = 32;

const get = head("GET /");

test.each([
  ["without a key", get, "anonymous"],
  [
    "with a key that was admitted lately",
    head("GET /", "Authorization: known acct_1"),
    "unadmitted",
  ],
])("%s the next request begins when the answer before it was read", async (_, request, slots) => {
  const { areHeld, held, inFlight, released, socket } = await openServer();
  const one = await socket(request.repeat(3));
  let answers = "";
  one.on("data", (text: Buffer) => (answers += text.toString()));
  for (let n = 1; n <= 3; n += 1) {
    await areHeld(n);
    await vi.waitFor(() =>
      expect(inFlight.used()).toMatchObject({
        [slots]: 1,
        anonymous_bytes: (3 - n) * WAITING_BYTES,
      }),
    );
    held[n - 1]?.[1].end(`answer ${n}.`);
  }
  await vi.waitFor(() => expect(answers.match(/answer \d/g)).toHaveLength(3));
  expect(answers.match(/answer \d/g)).toStrictEqual(["answer 1", "answer 2", "answer 3"]);
  await released();
});

test("32 may be unanswered; with more the connection is no longer read, and closed later", async () => {
  const { held, inFlight, refused, released, socket } = await openServer();
  const one = await socket(get.repeat(MAX_PIPELINE));
  await vi.waitFor(() =>
    expect(inFlight.used().anonymous_bytes).toBe((MAX_PIPELINE - 1) * WAITING_BYTES),
  );
  expect([held.length, refused, one.destroyed]).toStrictEqual([1, [], false]);
  one.write(get + get);
  await vi.waitFor(() => expect(refused).toContain("pipeline"));
  const [[request] = []] = held;
  if (!request) throw new Error("no request");
  const { socket: connection } = request;
  expect(connection.destroyed).toBe(false);
  const read = connection.bytesRead;
  one.write(get);
  await closed(one);
  expect(connection.bytesRead).toBe(read);
  expect([held.length, refused]).toStrictEqual([1, ["pipeline"]]);
  await released();
});

test("behind an answer that ends the connection no request begins", async () => {
  const { areHeld, held, released, socket } = await openServer();
  const one = await socket(get.repeat(3));
  await areHeld(1);
  held[0]?.[1].setHeader("Connection", "close").end();
  one.resume();
  await closed(one);
  await released();
  expect(held).toHaveLength(1);
});

test("a request whose client leaves before its turn never begins, and holds nothing", async () => {
  const { areHeld, held, released, socket } = await openServer();
  await socket(get.repeat(3));
  await areHeld(1);
  const [[request, response] = []] = held;
  response?.once("close", () => request?.socket.destroy());
  response?.end();
  await released();
  expect(held).toHaveLength(1);
});

test("of requests that waited, one begins in a turn of the event loop", async () => {
  const { areHeld, held, released, socket } = await openServer();
  const count = 6;
  const of = (n: number) => get.replace("From: a", `From: ${n}`).repeat(2);
  const all = await Promise.all(Array.from({ length: count }, (_, n) => socket(of(n))));
  for (const one of all) one.resume();
  await areHeld(count);
  for (const [, response] of held) response.end();
  let most = 0;
  for (let before = held.length; before < 2 * count; before = held.length) {
    await turn();
    most = Math.max(most, held.length - before);
  }
  expect(most).toBeLessThanOrEqual(2);
  for (const [, response] of held) response.end();
  await released();
});

test("a connection is closed when what waits is beyond its address's half of the memory", async () => {
  const { inFlight, refused, released, socket } = await openServer();
  // No more than was free before it.
  const half = Math.floor((4 * ANONYMOUS_BYTES + WAITING_BYTES) / 2 / WAITING_BYTES);
  const open = Math.ceil(half / (MAX_PIPELINE - 1)) + 1;
  const all = await Promise.all(
    Array.from({ length: open }, (_, n) =>
      // The first of each has a slot of another address.
      socket(get.replace("From: a", `From: ${n}`) + get.repeat(MAX_PIPELINE - 1)),
    ),
  );
  await vi.waitFor(() => expect(refused).toContain("pipeline"));
  expect(inFlight.used().anonymous_bytes).toBeLessThanOrEqual(half * WAITING_BYTES);
  for (const one of all) one.destroy();
  await released();
  expect(inFlight.used()).toStrictEqual(NOTHING);
});
