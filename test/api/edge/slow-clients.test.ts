// A client that sends too slowly is refused in the error shape when its time is up, and delays no
// other client: all the while others are answered, without a failure and without delay (the
// request timeout, docs/operators/settings.md).

import { HttpClient, newAccount } from "@annals/testing";
import type { Stack } from "@annals/local";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../../system/constellation.ts";
import { expectRefused } from "../refusal.ts";
import { exchange, open, type Part } from "./raw-socket.ts";

const REQUEST_TIMEOUT_MS = 1_500;
const KEEP_ALIVE_S = 620;
/** How often the gateway looks for slow requests, and what a busy machine may add. */
const LATE_MS = 2_500;
/** Between two bytes of a slow client: each is progress, and none is enough. */
const BETWEEN_BYTES_MS = 50;
/**
 * What another client may wait for an answer meanwhile, beyond the longest wait at a gateway without slow
 * clients: the control, which feels a stall of the whole machine too.
 */
const MAX_ANSWER_MS = 1_000;
const MIN_ANSWERS = 10;
const TOO_SLOW = "The request took too long to arrive.";

let stack: Stack;
let baseUrl: string;
let key: string;
let client: HttpClient;
let control: HttpClient;

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    rateLimitPerMinute: 1_000_000,
    env: {
      gateway: {
        ANNALS_REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
        ANNALS_KEEP_ALIVE_S: String(KEEP_ALIVE_S),
      },
    },
    replicas: { gateway: 2 },
    without: ["nats"],
  });
  const [attackedUrl = "", controlUrl = ""] = stack.baseUrls;
  baseUrl = attackedUrl;
  ({ key } = await newAccount(stack.databaseUrl));
  client = new HttpClient(attackedUrl, key);
  control = new HttpClient(controlUrl, key);
});

afterAll(async () => {
  client.close();
  control.close();
  await stack.stop();
});

/**
 * Does `work` while a client sends one request after the other, each of which must be answered well
 * and soon.
 */
async function whileOthersAreServed<T>(work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const longestWaits = Promise.all(
    [client, control].map((one) => longestWaitOf(one, () => over.signal.aborted)),
  );
  const result = await work().finally(() => over.abort());
  const [longest, longestOfControl] = await longestWaits;
  expect(longest).toBeLessThan(MAX_ANSWER_MS + (longestOfControl ?? 0));
  return result;
}

async function longestWaitOf(caller: HttpClient, isOver: () => boolean): Promise<number> {
  let longest = 0;
  for (let answered = 0; !isOver() || answered < MIN_ANSWERS; answered += 1) {
    const started = performance.now();
    const { status } = await caller.post("/v1/events", { action: "meanwhile" });
    expect(status).toBe(201);
    longest = Math.max(longest, performance.now() - started);
  }
  return longest;
}

/** `text` a byte at a time, far more slowly than the timeout allows. */
const dripping = (text: string): Part[] =>
  Array.from(text.padEnd(200, "a")).flatMap((byte) => [() => pause(BETWEEN_BYTES_MS), byte]);

/** Sends parts and checks that they are refused as too slow, about when their time is up. */
async function expectTooSlow(...parts: Part[]): Promise<void> {
  await whileOthersAreServed(async () => {
    const started = performance.now();
    const answers = await exchange(baseUrl, ...parts);
    const took = performance.now() - started;
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "validation_error", { message: TOO_SLOW });
    expect(took).toBeGreaterThan(REQUEST_TIMEOUT_MS - BETWEEN_BYTES_MS);
    expect(took).toBeLessThan(REQUEST_TIMEOUT_MS + LATE_MS);
  });
}

const post = (...headers: string[]) =>
  ["POST /v1/events HTTP/1.1", "Host: x", ...headers, "\r\n"].join("\r\n");
const authorized = () => `Authorization: Bearer ${key}`;
const JSON_TYPE = "Content-Type: application/json";

test.concurrent("slow headers", async () => {
  await expectTooSlow("GET /v1/events HTTP/1.1\r\n", ...dripping("X: "));
});

test.concurrent("a slow request line", async () => {
  await expectTooSlow(...dripping("GET /v1/"));
});

test.concurrent("half a request and then nothing", async () => {
  await expectTooSlow("GET /v1/events HTTP/1.1\r\nHost: x\r\n");
});

test.concurrent("a slow body", async () => {
  const head = post(authorized(), JSON_TYPE, "Content-Length: 1000");
  await expectTooSlow(head, ...dripping('{"action":"'));
});

test.concurrent("a slow body in chunks", async () => {
  const head = post(authorized(), JSON_TYPE, "Transfer-Encoding: chunked");
  const chunks = Array.from({ length: 200 }, () => [() => pause(BETWEEN_BYTES_MS), "1\r\na\r\n"]);
  await expectTooSlow(head, ...chunks.flat());
});

test.concurrent("a body that never comes", async () => {
  await expectTooSlow(post(authorized(), JSON_TYPE, "Content-Length: 1000"));
});

test.concurrent("a slow body without a key gets one answer, the 401", async () => {
  await whileOthersAreServed(async () => {
    const answers = await exchange(baseUrl, post("Content-Length: 1000"), ...dripping("{"));
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "authentication_error");
  });
});

test("an idle connection is kept as long as the setting says", async () => {
  const { headers } = await fetch(`${baseUrl}/openapi.json`);
  expect(headers.get("keep-alive")).toBe(`timeout=${KEEP_ALIVE_S}`);
});

test("1,000 connections that send nothing, or half a request, delay no client and are closed", async () => {
  const CONNECTIONS = 1_000;
  await whileOthersAreServed(async () => {
    const opened = await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, n) => {
        const connection = await open(baseUrl);
        if (n % 2 === 1) connection.socket.write("POST /v1/events HTTP/1.1\r\nHost: x\r\n");
        return connection;
      }),
    );
    const answers = await Promise.all(opened.map(({ closed }) => closed));
    const refused = answers.filter((bytes) => bytes.toString().startsWith("HTTP/1.1 422 "));
    expect(refused).toHaveLength(CONNECTIONS);
  });
});

test("a client that leaves in the middle of its body is not a server error", async () => {
  await whileOthersAreServed(async () => {
    for (let n = 0; n < 50; n++) {
      const { socket, closed } = await open(baseUrl);
      socket.write(post(authorized(), JSON_TYPE, "Content-Length: 1000"));
      socket.write('{"action":');
      if (n % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
      await closed;
    }
  });
  const log = await readFile(join(stack.dataDir, "log", "gateway-1.log"), "utf8");
  expect(log.split("\n").filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
