// Guarantee: until a key was admitted on a connection, its requests begin one after the other; from then on
// 32 may be unanswered. A key that was admitted lately never waits. What waits is bounded in memory, and is
// released when the client leaves. A connection with too many is closed later, and not read meanwhile.

import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { ANONYMOUS_BYTES, closed, head, NOTHING, openServer } from "../testing/in-flight-server.ts";

/** What a request that waits counts, with its URL. */
const WAITING_BYTES = 4 * 1024 + "/".length;
const MAX_PIPELINE = 32;

const get = head("GET /");

test("without a key the next request begins when the answer before it was read", async () => {
  const { areHeld, held, inFlight, released, socket } = await openServer();
  const one = await socket(get.repeat(3));
  let answers = "";
  one.on("data", (text: Buffer) => (answers += text.toString()));
  for (let n = 1; n <= 3; n += 1) {
    await areHeld(n);
    await vi.waitFor(() =>
      expect(inFlight.used()).toMatchObject({
        anonymous: 1,
        anonymous_bytes: (3 - n) * WAITING_BYTES,
      }),
    );
    held[n - 1]?.[1].end(`answer ${n}.`);
  }
  await vi.waitFor(() => expect(answers.match(/answer \d/g)).toHaveLength(3));
  expect(answers.match(/answer \d/g)).toStrictEqual(["answer 1", "answer 2", "answer 3"]);
  await released();
});

test("when a key was admitted those that wait begin, and 32 may be unanswered", async () => {
  const { areHeld, held, inFlight, refused, released, socket } = await openServer();
  const one = await socket(get.repeat(4));
  await areHeld(1);
  const [[request] = []] = held;
  if (!request) throw new Error("no request");
  inFlight.authenticated(request, "acct_1");
  await areHeld(4 - 1);
  expect(inFlight.used().anonymous_bytes).toBe(0);
  one.write(get.repeat(MAX_PIPELINE - 4));
  one.write(get);
  await closed(one);
  expect(refused.filter((reason) => reason === "pipeline")).toHaveLength(1);
  await released();
});

test("a connection with too many is not closed at once, and no longer read", async () => {
  const { areHeld, held, inFlight, refused, released, socket } = await openServer();
  const one = await socket(get);
  await areHeld(1);
  const [[request] = []] = held;
  if (!request) throw new Error("no request");
  inFlight.authenticated(request, "acct_1");
  one.write(get.repeat(MAX_PIPELINE));
  await vi.waitFor(() => expect(refused).toContain("pipeline"));
  expect(request.socket.destroyed).toBe(false);
  const read = request.socket.bytesRead;
  one.write(get);
  await closed(one);
  expect(request.socket.bytesRead).toBe(read);
  await released();
});

test("of requests that waited without a key, one begins in a turn of the event loop", async () => {
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

test("a key that was admitted lately does not wait", async () => {
  const { areHeld, inFlight, released, socket } = await openServer();
  const one = await socket(get + head("GET /", "Authorization: known acct_1"));
  await areHeld(2);
  expect(inFlight.used()).toMatchObject({ anonymous: 1, unadmitted: 1, anonymous_bytes: 0 });
  one.destroy();
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
