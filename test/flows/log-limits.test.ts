// Requests to /v1/log count in a window of the key of its own, which the headers show: neither takes anything
// of the other, and the account's window counts both. Where the head log is not public nothing of it is
// served, and where keys cannot be reached there is no log, but everything else works (docs/evidence.md). No
// other file wants such a log, so the system is the file's own.

import type { Stack } from "@annals/local";
import { type Answer, HttpClient, newClient, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../api/refusal.ts";
import { startConstellation } from "../system/constellation.ts";
import { newToken } from "../system/widget-client.ts";

const LIMIT = 2;
/** Thirty times that. */
const LOG_LIMIT = 60;

let stack: Stack;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    rateLimitPerMinute: LIMIT,
    without: ["nats", "export", "webhook-dispatcher"],
    env: {
      gateway: { ANNALS_LOG_PUBLIC: "false" },
      // Nothing listens there: no epoch is ever signed.
      ledger: { ANNALS_KEYS_ADDRESS: "127.0.0.1:1" },
    },
  });
  owner = ownerOf(stack.databaseUrl);
});

afterAll(async () => {
  await owner.close();
  await stack.stop();
});

const shown = ({ headers }: Answer) => [
  Number(headers["x-ratelimit-limit"]),
  Number(headers["x-ratelimit-remaining"]),
];

describe("the window of the log", () => {
  test("has its own limit, and neither window takes from the other", async () => {
    const { client } = await newClient(stack);
    for (let n = 1; n <= LOG_LIMIT; n += 1) {
      const answer = await client.get(n % 2 ? "/v1/log/checkpoint" : "/v1/log/tile/0/000");
      expect(answer.status).toBe(404);
      expect(shown(answer)).toEqual([LOG_LIMIT, LOG_LIMIT - n]);
    }
    const beyond = await client.get("/v1/log");
    expectRefused(beyond, "rate_limit_exceeded", {
      message: /^Rate limit reached: 60 requests per minute for this key/,
    });
    expect(shown(beyond)).toEqual([LOG_LIMIT, 0]);
    for (let n = 1; n <= LIMIT; n += 1)
      expect(shown(await client.get("/v1/events"))).toEqual([LIMIT, LIMIT - n]);
    expect((await client.get("/v1/events")).status).toBe(429);
  });

  test("is one of all routes of the log, and of no other", async () => {
    const { client } = await newClient(stack);
    const paths = [
      "",
      "/checkpoint",
      "/tile/0/000",
      "/tile/entries/000",
      "/inclusion?sequence_number=1",
      "/consistency?from=1",
      "/heads",
    ];
    for (const [at, path] of paths.entries())
      expect(shown(await client.get(`/v1/log${path}`))).toEqual([LOG_LIMIT, LOG_LIMIT - 1 - at]);
    expect(shown(await client.get("/v1/log/unknown"))).toEqual([LIMIT, LIMIT - 1]);
  });

  test("is counted in the window of the account, together with the other one", async () => {
    const { accountId, client } = await newClient(stack);
    await Promise.all(Array.from({ length: 5 }, () => client.get("/v1/log")));
    await client.get("/v1/events");
    const text = "SELECT used FROM keys.account_windows WHERE account_id = $1";
    expect(await owner.query(text, [accountId])).toEqual([{ used: 6 }]);
  });

  test("is exact for requests that come together with others", async () => {
    const { client } = await newClient(stack);
    const paths = Array.from({ length: 2 * LOG_LIMIT + 4 }, (_, n) =>
      n % 2 ? "/v1/log" : "/v1/events",
    );
    const answers = await Promise.all(paths.map((path) => client.get(path)));
    const admitted = (path: string) =>
      answers.filter(({ status }, at) => paths[at] === path && status !== 429).length;
    expect(admitted("/v1/log")).toBe(LOG_LIMIT);
    expect(admitted("/v1/events")).toBe(LIMIT);
  });
});

test("where there is no log all of its files are 404, and events are stored", async () => {
  const { client } = await newClient(stack);
  expect((await client.post("/v1/events", { action: "a" })).status).toBe(201);
  for (const path of ["", "/checkpoint", "/tile/0/000.p/1", "/tile/entries/000.p/1", "/heads"])
    expectRefused(await client.get(`/v1/log${path}`), "not_found");
  for (const query of ["inclusion?sequence_number=1", "consistency?from=1"])
    expectRefused(await client.get(`/v1/log/${query}`), "not_found");
  const { widget } = await newToken(client);
  expect((await widget.get("/v1/widget/log")).body).toEqual({
    data: { covered: null, log_origin: null },
  });
});

test("a head log that is not public has no path", async () => {
  const [baseUrl = ""] = stack.baseUrls;
  const client = new HttpClient(baseUrl);
  for (const path of ["checkpoint", "vkey", "tile/0/000", "tile/entries/000"]) {
    const answer = await client.get(`/log/${path}`);
    expectRefused(answer, "not_found", { message: `No route matches GET /log/${path}.` });
    expect(answer.headers["cache-control"]).toBe("no-store");
  }
});
