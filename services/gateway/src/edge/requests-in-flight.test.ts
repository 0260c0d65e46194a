// Guarantee: an account, an address, and all clients without a key hold no more than their shares. A slot
// ends when the answer is made, and what work holds is held until the work has ended, whether the client is
// still there or not. Keys that are not admitted yet never refuse one that was admitted lately.

import { expect, test, vi } from "vitest";
import {
  BYTES,
  closed,
  head,
  NOTHING,
  openServer,
  SHARE,
  TOTAL,
} from "../testing/in-flight-server.ts";

const KEY = "Authorization: a key";
const outcomeOf = (take: () => void): unknown => {
  try {
    take();
    return "taken";
  } catch (error) {
    return error;
  }
};

test("an address leaves half of the slots to others until its keys are admitted", async () => {
  const { ask, areHeld, held, refused, released } = await openServer();
  const first = Array.from({ length: TOTAL / 2 }, () => ask());
  await areHeld(TOTAL / 2);
  expect((await ask()).status).toBe(500);
  expect(refused).toStrictEqual(["unadmitted_total"]);
  const other = ask("b");
  await areHeld(TOTAL / 2 + 1);
  for (const [, response] of held) response.end();
  await Promise.all([...first, other]);
  await released();
});

test("a key that was admitted lately has a slot of its account where unknown keys have taken the others", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await openServer();
  const unknown = Array.from({ length: TOTAL / 2 }, () => ask());
  await areHeld(TOTAL / 2);
  const known = Array.from({ length: SHARE }, () => ask("a", "known acct_1"));
  await areHeld(TOTAL / 2 + SHARE);
  expect(inFlight.used()).toMatchObject({ unadmitted: TOTAL / 2, requests: SHARE });
  // Its admission changes nothing of that.
  held.slice(-SHARE).forEach(([request]) => inFlight.authenticated(request, "acct_1"));
  expect(inFlight.used()).toMatchObject({ unadmitted: TOTAL / 2, requests: SHARE });
  expect((await ask("a", "known acct_1")).status).toBe(429);
  expect(refused).toStrictEqual(["requests_share"]);
  for (const [, response] of held) response.end();
  await Promise.all([...unknown, ...known]);
  await released();
});

test("if accounts have taken the slots, a key that was admitted lately is refused before its admission", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await openServer();
  const accounts = [0, 0, 1, 1, 2, 2, 3].map((n) => `acct_${n}`);
  const asked: Promise<unknown>[] = [];
  for (const [n, account] of accounts.entries()) {
    asked.push(ask("a", `known ${account}`));
    await areHeld(n + 1);
    const [request] = held.at(-1) ?? [];
    if (request) inFlight.authenticated(request, account);
  }
  expect((await ask("a", "known acct_3")).status).toBe(500);
  expect(refused).toStrictEqual(["requests_total"]);
  // Beyond its own share an account is refused after its admission, where that can be delayed.
  asked.push(ask("a", "known acct_1"));
  await areHeld(TOTAL);
  expect(inFlight.used()).toMatchObject({ requests: TOTAL - 1, unadmitted: 1 });
  for (const [, response] of held) response.end();
  await Promise.all(asked);
  await released();
});

test("requests without a key have slots of their own, and an address a share of them", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await openServer();
  const asked = Array.from({ length: SHARE }, () => ask("a", ""));
  await areHeld(SHARE);
  expect((await ask("a", "")).status).toBe(429);
  asked.push(...["b", "b", "c"].map((from) => ask(from, "")));
  await areHeld(SHARE + 3);
  expect(inFlight.used()).toMatchObject({ anonymous: SHARE + 3, requests: 0, unadmitted: 0 });
  expect(refused).toStrictEqual(["anonymous_share"]);
  for (const [, response] of held) response.end();
  await Promise.all(asked);
  await released();
});

test("an account holds no more than its share, whatever addresses it comes from", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await openServer();
  const asked = Array.from({ length: TOTAL / 2 }, (_, n) => ask(`address ${n}`));
  await areHeld(TOTAL / 2);
  const outcomes = held.map(([request]) =>
    outcomeOf(() => inFlight.authenticated(request, "acct_1")),
  );
  const limited = expect.objectContaining({ kind: "rate_limited", retryAfterS: 1 });
  expect(outcomes).toEqual(["taken", "taken", limited, limited]);
  expect(refused).toStrictEqual(["requests_share", "requests_share"]);
  expect(inFlight.used()).toMatchObject({ requests: SHARE, unadmitted: 0 });
  for (const [, response] of held) response.end();
  await Promise.all(asked);
  await released();
});

test("a slot ends when the answer is made, though the client reads nothing of it", async () => {
  const { areHeld, held, inFlight, released, socket } = await openServer();
  const one = await socket(head("GET /", KEY));
  one.pause();
  await areHeld(1);
  const [[request, response] = []] = held;
  if (!request || !response) throw new Error("no request");
  inFlight.authenticated(request, "acct_1");
  inFlight.begin(request);
  await inFlight.acquire(request, "lists", "acct_1");
  inFlight.reserveResponse(request, BYTES);
  response.write("x".repeat(BYTES));
  expect(inFlight.used()).toMatchObject({ requests: 1, lists: 1, unread_bytes: BYTES });
  inFlight.ended(request);
  inFlight.responded(request, BYTES);
  expect(inFlight.used()).toMatchObject({ requests: 0, lists: 0, unread_bytes: BYTES });
  one.destroy();
  await released();
});

test.each(["lists", "verifications"] as const)(
  "the slot and the share of %s are held until the work has ended, though its client has left",
  async (resource) => {
    const { areHeld, held, inFlight, released, socket } = await openServer();
    const one = await socket(head("GET /", KEY));
    await areHeld(1);
    const [[request, response] = []] = held;
    if (!request || !response) throw new Error("no request");
    inFlight.authenticated(request, "acct_1");
    await inFlight.acquire(request, resource, "acct_1");
    inFlight.begin(request);
    const signal = inFlight.signalOf(request);
    expect(signal.aborted).toBe(false);
    one.resetAndDestroy();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    expect(inFlight.used()).toMatchObject({ requests: 1, [resource]: 1 });
    inFlight.ended(request);
    expect(inFlight.used()).toStrictEqual(NOTHING);
    // Nothing begins for a client that has left, and what comes too late releases nothing again.
    expect(outcomeOf(() => inFlight.begin(request))).toMatchObject({ kind: "unavailable" });
    inFlight.responded(request);
    await released();
  },
);

test("a download holds its share until its client has read it", async () => {
  const { areHeld, held, inFlight, released, socket } = await openServer();
  const one = await socket(head("GET /", KEY));
  await areHeld(1);
  const [[request] = []] = held;
  if (!request) throw new Error("no request");
  inFlight.authenticated(request, "acct_1");
  await inFlight.acquire(request, "downloads", "acct_1");
  inFlight.responded(request, 1_000_000);
  expect(inFlight.used()).toStrictEqual({ ...NOTHING, downloads: 1, unread_bytes: 1_000_000 });
  one.destroy();
  await released();
});

test("a list beyond its account's share waits, and is refused when the time is over or its client leaves", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await openServer();
  const asked = Promise.allSettled(
    Array.from({ length: SHARE + 3 }, (_, n) => ask(`address ${n}`)),
  );
  await areHeld(SHARE + 3);
  const outcomes = held.map(([request]) =>
    inFlight.acquire(request, "lists", "acct_1").catch((error: unknown) => error),
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

test("no list is made for an account that leaves large answers unread", async () => {
  const { ask, areHeld, held, inFlight, refused, released } = await openServer();
  const asked = Promise.all(Array.from({ length: 3 }, (_, n) => ask(`address ${n}`)));
  await areHeld(3);
  const outcomes: unknown[] = [];
  for (const [request] of held) inFlight.authenticated(request, `acct_${outcomes.push(0)}`);
  const [[unread, answer] = [], [list] = []] = held;
  if (!unread || !answer || !list) throw new Error("no requests");
  inFlight.reserveResponse(unread, BYTES / 2);
  expect(await inFlight.acquire(list, "lists", "acct_1")).toBeUndefined();
  inFlight.reserveResponse(unread, 1);
  await expect(inFlight.acquire(list, "lists", "acct_1")).rejects.toMatchObject({
    kind: "rate_limited",
  });
  expect(await inFlight.acquire(list, "lists", "acct_2")).toBeUndefined();
  expect(refused).toStrictEqual(["unread_bytes_share"]);
  for (const [, response] of held) response.end();
  await asked;
  await released();
});

test("whatever is held is released when the client answers, resets, or leaves with requests in its pipeline", async () => {
  const { areHeld, held, inFlight, released, socket } = await openServer();
  const get = head("GET /", "Authorization: known acct_1");
  for (let round = 0; round < 20; round += 1) {
    const from = held.length;
    const one = await socket(get + get);
    await areHeld(from + 1);
    const [request, response] = held[from] ?? [];
    if (!request || !response) throw new Error("no request");
    inFlight.reserveResponse(request, 100);
    await inFlight.acquire(request, "downloads", `acct_${from}`);
    expect(inFlight.used().anonymous_bytes).toBeGreaterThan(100);
    expect(inFlight.used()).toMatchObject({ unadmitted: 1, downloads: 1 });
    if (round % 4 === 0) {
      response.end("done");
      await areHeld(from + 2);
      held[from + 1]?.[1].end("done");
    } else if (round % 4 === 1) one.resetAndDestroy();
    else if (round % 4 === 2) one.destroy();
    else response.destroy();
    await released();
    // An answer that comes too late must not release anything again.
    held.slice(from).forEach(([of, late]) => {
      late.end("late");
      inFlight.responded(of);
    });
    expect(inFlight.used()).toStrictEqual(NOTHING);
  }
});

test("no request begins on a connection that is ending, and none holds anything", async () => {
  let asked = 0;
  const { areHeld, inFlight, socket } = await openServer({}, () => (asked += 1) > 1);
  const request = head("GET /", "Authorization: known a");
  // They come in one packet, so both were looked at when one is held.
  await socket(request + request);
  await areHeld(1);
  expect(asked).toBe(2);
  expect(inFlight.used()).toStrictEqual({ ...NOTHING, unadmitted: 1 });
});

test("a body in chunks counts as it comes, and one that is too much ends", async () => {
  const { areHeld, held, inFlight, released, socket } = await openServer();
  const one = await socket(head("POST /", KEY, "Transfer-Encoding: chunked"));
  await areHeld(1);
  const [[request] = []] = held;
  if (!request) throw new Error("no request");
  const refused: Error[] = [];
  request.on("error", (error) => {
    refused.push(error);
    one.destroy();
  });
  inFlight.readBody(request, "acct_1");
  one.write(`400\r\n${"x".repeat(1_024)}\r\n`);
  await vi.waitFor(() => expect(inFlight.used().bytes).toBe(1_024));
  const isClosed = closed(one);
  while (!one.destroyed && one.writableLength < 2 * BYTES) {
    one.write(`10000\r\n${"x".repeat(65_536)}\r\n`);
  }
  await isClosed;
  expect(refused[0]?.message).toContain("too large in total");
  await released();
});

test("a body that stalls ends, and one that moves does not", async () => {
  const { areHeld, clientErrors, held, inFlight, refused, released, socket } = await openServer();
  const stalled = await socket(`${head("POST /", KEY, "Content-Length: 100000")}x`);
  const moving = await socket(head("POST /", KEY, "Content-Length: 1000000"));
  await areHeld(2);
  for (const [request] of held) {
    inFlight.readBody(request, "acct_1");
    request.resume();
  }
  expect(inFlight.used().bytes).toBe(1_100_000);
  const timer = setInterval(() => moving.write("x".repeat(5_000)), 50);
  await closed(stalled);
  expect(clientErrors).toStrictEqual(["ERR_HTTP_REQUEST_TIMEOUT"]);
  await vi.waitFor(() => expect(moving.bytesWritten).toBeGreaterThan(150_000), 5_000);
  expect(refused).toStrictEqual(["slow_body"]);
  clearInterval(timer);
  moving.destroy();
  await released();
});
