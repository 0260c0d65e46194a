// Guarantee: no more concurrent requests than the bound are served. The rest are refused at once, in the
// error shape. A request that ended, or whose client has disconnected, frees its slot.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { boundRequests } from "./bounded-requests.ts";

const MAX_UNDER_WAY = 2;
const QUICK_MS = 1_000;

/** A server that responds when the test says so. */
async function heldServer() {
  const held: ServerResponse[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    held.push(response);
  });
  boundRequests(server, {
    maxUnderWay: MAX_UNDER_WAY,
    limit: 100,
    newRequestId: () => "req_1",
    onRefused: ({ url = "" }) => refused.push(url),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const areHeld = (count: number) => vi.waitFor(() => expect(held).toHaveLength(count));
  const answerOne = () => held.shift()?.end("done");
  return { ask, areHeld, answerOne, held, refused };
}

test("a request beyond the bound is refused at once, and a finished one frees its slot", async () => {
  const { ask, areHeld, answerOne, refused } = await heldServer();
  const first = [ask("/1"), ask("/2")];
  await areHeld(MAX_UNDER_WAY);
  const started = performance.now();
  const answer = await ask("/3", { method: "POST", body: "x".repeat(1_000_000) });
  expect(performance.now() - started).toBeLessThan(QUICK_MS);
  expect(answer.status).toBe(500);
  expect(await answer.json()).toEqual({
    error: { type: "server_error", message: expect.any(String) },
  });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "retry-after": expect.stringMatching(/^[1-9]\d*$/),
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": "100",
    "x-request-id": "req_1",
  });
  expect(refused).toStrictEqual(["/3"]);
  answerOne();
  expect((await Promise.race(first)).status).toBe(200);
  const fourth = ask("/4");
  await areHeld(MAX_UNDER_WAY);
  answerOne();
  answerOne();
  expect((await fourth).status).toBe(200);
  expect(refused).toHaveLength(1);
});

test("a client that disconnects frees its slot", async () => {
  const { ask, areHeld, answerOne, held } = await heldServer();
  const going = new AbortController();
  const gone = ask("/gone", { signal: going.signal });
  await areHeld(1);
  const second = ask("/second");
  await areHeld(MAX_UNDER_WAY);
  const [left] = held.splice(0, 1);
  going.abort();
  await expect(gone).rejects.toThrow("aborted");
  await vi.waitFor(() => expect(left?.destroyed).toBe(true));
  const third = ask("/third");
  await areHeld(MAX_UNDER_WAY);
  answerOne();
  answerOne();
  expect((await second).status).toBe(200);
  expect((await third).status).toBe(200);
});
