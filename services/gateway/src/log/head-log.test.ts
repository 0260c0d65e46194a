// Guarantees: the public head log answers every client the same, whatever key, cookie or query it sends, with
// headers by which any cache may keep it. A path that no log has never reaches the ledger. Requests for one
// path that wait together are one call, which goes on without the client that asked first. An address has
// 20 requests a second and 200 at once, and all of them together 32 calls.

import { AnnalsError } from "@annals/errors";
import fastify from "fastify";
import { hash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { RequestBudget } from "../edge/request-budget.ts";
import { RequestsInFlight } from "../edge/requests-in-flight.ts";
import { resourceShares } from "../edge/resources.ts";
import { HEAD_LOG_PER_SECOND, serveHeadLog } from "./head-log.ts";

type ReadHeadLog = Parameters<typeof serveHeadLog>[1]["ledger"]["readHeadLog"];
type Request = Parameters<ReadHeadLog>[0];

const BURST = 10 * HEAD_LOG_PER_SECOND;
const MANY = 1_000_000;
const CONFIG = {
  requestsMaxUnderWay: MANY,
  requestsMaxPerAccount: MANY,
  bytesMaxPerAccount: MANY,
  readsMaxPerAccount: MANY,
};

async function open(read: (request: Request) => Promise<string>, waitMs = 50) {
  const calls: Request[] = [];
  const refused: string[] = [];
  let nowMs = 0;
  const metrics = { refused: (reason: string) => void refused.push(reason) };
  const shares = resourceShares(CONFIG);
  const inFlight = new RequestsInFlight({
    shares: { ...shares, head_log: { ...shares.head_log, waitMs } },
    transfers: { minBytesPerSecond: 1, bodyWindowMs: 60_000, responseWindowMs: 60_000 },
    addressOf: ({ headers }) => String(headers["from"]),
    isEnding: () => false,
    recognise: () => undefined,
    refuse: () => expect.unreachable(),
    metrics,
  });
  const app = fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  inFlight.attach(app.server);
  app.setErrorHandler((error, request, reply) => {
    const kind = error instanceof AnnalsError ? error.kind : String(error);
    reply.code(kind === "rate_limited" ? 429 : 500).send(kind);
    inFlight.responded(request.raw);
  });
  serveHeadLog(app, {
    budget: new RequestBudget({ perSecond: HEAD_LOG_PER_SECOND, now: () => nowMs }),
    inFlight,
    ledger: {
      readHeadLog: async (request: Request) => {
        calls.push(request);
        return {
          $typeName: "annals.ledger.v1.ReadHeadLogResponse",
          content: Buffer.from(await read(request)),
        };
      },
    },
    metrics,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const get = (
    path: string,
    from = "a",
    init: { method?: string; signal?: AbortSignal; headers?: Record<string, string> } = {},
  ) => fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { from, ...init.headers } });
  const sleep = (ms: number) => (nowMs += ms);
  return { app, calls, get, inFlight, refused, sleep };
}

const HEADERS = ["cache-control", "content-type", "etag", "access-control-allow-origin", "vary"];

async function shownBy(response: Response) {
  const headers = Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)]));
  return { status: response.status, text: await response.text(), ...headers };
}

const pathOf = (n: number) => `/log/tile/0/${String(n).padStart(3, "0")}`;

const etagOf = (text: string) => `"${hash("sha256", text, "base64url")}"`;

test("each kind of file has its type and the headers for caches", async () => {
  const { calls, get } = await open(async () => "bytes");
  const always = {
    status: 200,
    text: "bytes",
    etag: etagOf("bytes"),
    "access-control-allow-origin": "*",
    vary: null,
  };
  const text = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "public, max-age=5",
  };
  const octets = {
    "content-type": "application/octet-stream",
    "cache-control": "public, max-age=31536000, immutable",
  };
  expect(await shownBy(await get("/log/checkpoint"))).toEqual({ ...always, ...text });
  expect(await shownBy(await get("/log/vkey"))).toEqual({ ...always, ...text });
  expect(await shownBy(await get("/log/tile/0/x001/234.p/7"))).toEqual({ ...always, ...octets });
  expect(await shownBy(await get("/log/tile/entries/000"))).toEqual({ ...always, ...octets });
  expect(await shownBy(await get("/log/2/tile/1/000"))).toEqual({ ...always, ...octets });
  expect(calls).toEqual([
    { log: 1, part: { case: "checkpoint", value: {} } },
    { log: 1, part: { case: "vkey", value: {} } },
    { log: 1, part: { case: "tile", value: { level: 0, index: 1_234n, width: 7 } } },
    { log: 1, part: { case: "entries", value: { index: 0n, width: 256 } } },
    { log: 2, part: { case: "tile", value: { level: 1, index: 0n, width: 256 } } },
  ]);
});

test("a key, a cookie and a query change nothing", async () => {
  const { calls, get } = await open(async () => "bytes");
  const plain = await shownBy(await get("/log/checkpoint"));
  const headers = { authorization: "Bearer annals_sk_1", cookie: "a=b", "accept-encoding": "gzip" };
  expect(await shownBy(await get("/log/checkpoint?x=1&y", "b", { headers }))).toEqual(plain);
  expect(calls[1]).toEqual(calls[0]);
});

test("who has it gets 304, and HEAD gets no body", async () => {
  const { get } = await open(async () => "bytes");
  for (const known of [etagOf("bytes"), `W/${etagOf("bytes")}`, `"x", ${etagOf("bytes")}`, "*"]) {
    const response = await get("/log/tile/0/000", "a", { headers: { "if-none-match": known } });
    expect(response.status).toBe(304);
    expect(response.headers.get("etag")).toBe(etagOf("bytes"));
    expect(response.headers.get("cache-control")).toMatch(/immutable/);
  }
  const other = await get("/log/tile/0/000", "a", { headers: { "if-none-match": etagOf("x") } });
  expect(other.status).toBe(200);
  const head = await get("/log/tile/0/000", "a", { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe("5");
  expect(head.headers.get("etag")).toBe(etagOf("bytes"));
  expect(await head.text()).toBe("");
});

test.each([
  "",
  "checkpoint/",
  "Checkpoint",
  "vkeys",
  "tile",
  "tile/0",
  "tile/0/",
  "tile/0/0",
  "tile/0/00",
  "tile/00/000",
  "tile/64/000",
  "tile/-1/000",
  "tile/0/000.p/0",
  "tile/0/000.p/256",
  "tile/0/000.p/07",
  "tile/0/x000/001",
  "tile/0/x1/000",
  "tile/0/001/000",
  "tile/0/%30%30%30",
  "tile/0/000/",
  "tile//0/000",
  "tile/entries/x/000",
  "tile/Entries/000",
  "1/checkpoint",
  "0/checkpoint",
  "02/checkpoint",
  "100000/checkpoint",
  "2/2/checkpoint",
  "2/",
  "x/checkpoint",
])("/log/%s is no file, and no call", async (path) => {
  const { calls, get } = await open(async () => "bytes");
  const response = await get(`/log/${path}`);
  expect(await shownBy(response)).toMatchObject({
    status: 404,
    "cache-control": "public, max-age=5",
    "access-control-allow-origin": "*",
    etag: null,
  });
  expect(calls).toEqual([]);
});

test("what the log does not have is the same 404", async () => {
  const { get } = await open(async () => Promise.reject(new AnnalsError("not_found", "acct_1")));
  const shown = await shownBy(await get("/log/tile/0/001"));
  expect(shown).toMatchObject({ status: 404, "cache-control": "public, max-age=5" });
  expect(JSON.parse(shown.text)).toEqual({
    error: { type: "not_found", message: "The log has no such file." },
  });
});

test("a failure of the ledger is not kept by caches, and the next request is a call again", async () => {
  let isAway = true;
  const { get } = await open(async () => {
    if (isAway) throw new AnnalsError("unavailable", "away");
    return "bytes";
  });
  const failed = await get("/log/checkpoint");
  expect(failed.status).toBe(500);
  expect(failed.headers.get("cache-control") ?? "").not.toMatch(/max-age/);
  isAway = false;
  expect((await get("/log/checkpoint")).status).toBe(200);
});

test("requests for one path that wait together are one call, which outlives the first client", async () => {
  const answer = Promise.withResolvers<string>();
  const { calls, get, inFlight } = await open(() => answer.promise);
  const aborter = new AbortController();
  const first = get("/log/tile/0/000", "a", { signal: aborter.signal });
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  const others = Array.from({ length: 20 }, () => get("/log/tile/0/000", "b"));
  await vi.waitFor(() => expect(inFlight.used().anonymous).toBe(21));
  aborter.abort();
  await expect(first).rejects.toThrow(/abort/);
  answer.resolve("bytes");
  for (const response of await Promise.all(others)) expect(await response.text()).toBe("bytes");
  expect(calls).toHaveLength(1);
  await vi.waitFor(() => expect(inFlight.used().head_log).toBe(0));
});

test("an address has 200 requests at once, then 20 a second; others are served meanwhile", async () => {
  const { calls, get, refused, sleep } = await open(async () => "bytes");
  const statuses = async (count: number, from: string) => {
    const all: number[] = [];
    for (let n = 0; n < count; n += 1) all.push((await get("/log/checkpoint", from)).status);
    return all;
  };
  expect(new Set(await statuses(BURST, "a"))).toEqual(new Set([200]));
  expect(await statuses(2, "a")).toEqual([429, 429]);
  expect(refused).toEqual(["head_log_rate", "head_log_rate"]);
  expect(await statuses(1, "b")).toEqual([200]);
  sleep(100);
  expect(await statuses(3, "a")).toEqual([200, 200, 429]);
  expect(calls).toHaveLength(BURST + 3);
});

test("a path that no log has counts, too", async () => {
  const { get } = await open(async () => "bytes");
  for (let n = 0; n < BURST; n += 1) expect((await get("/log/x")).status).toBe(404);
  expect((await get("/log/x")).status).toBe(429);
});

test("32 calls at a time in all; one more waits, and is refused if none ends", async () => {
  const answer = Promise.withResolvers<string>();
  const { calls, get, inFlight, refused } = await open(() => answer.promise);
  const held = Array.from({ length: 32 }, (_, n) => get(pathOf(n), `address ${n}`));
  await vi.waitFor(() => expect(calls).toHaveLength(32));
  expect((await get(pathOf(99), "another")).status).toBe(500);
  expect(refused).toEqual(["head_log_total"]);
  // A path that is being read takes no further one.
  const joined = get(pathOf(0), "another");
  await vi.waitFor(() => expect(inFlight.used().anonymous).toBe(33));
  const waiting = get(pathOf(98), "another");
  await vi.waitFor(() => expect(inFlight.used().anonymous).toBe(34));
  answer.resolve("bytes");
  for (const response of await Promise.all([...held, joined, waiting]))
    expect(response.status).toBe(200);
  expect(calls).toHaveLength(33);
});

test("an address has 16 calls at a time; who waits with its next one is served all the same", async () => {
  const answer = Promise.withResolvers<string>();
  const { calls, get, inFlight, refused } = await open(() => answer.promise, 1_000);
  const held = Array.from({ length: 16 }, (_, n) => get(pathOf(n), "a"));
  await vi.waitFor(() => expect(calls).toHaveLength(16));
  const beyond = get(pathOf(99), "a");
  await vi.waitFor(() => expect(inFlight.used().anonymous).toBe(17));
  const joined = get(pathOf(99), "b");
  expect((await beyond).status).toBe(429);
  expect(refused).toEqual(["head_log_share"]);
  await vi.waitFor(() => expect(calls).toHaveLength(17));
  answer.resolve("bytes");
  for (const response of await Promise.all([...held, joined])) expect(response.status).toBe(200);
});
