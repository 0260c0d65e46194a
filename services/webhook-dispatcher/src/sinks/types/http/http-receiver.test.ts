// Guarantee: a batch for an HTTP receiver arrives whole, in the form that its sink names, and is accepted by
// a status 2xx alone. For `_bulk`, every item must be stored, now or by an attempt before. What goes wrong is
// said without a secret. Receivers that hang or flood: sink-faults.test.ts.

import type { SinkConfigs } from "@annals/interface";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { newSubscriber } from "../../../testing/receivers.ts";
import { newReceiver, sendBatch, sinkRecords } from "../../../testing/sink-receivers.ts";

const RECORDS = sinkRecords(1, 3);
const LINES = RECORDS.map(({ json }) => `${json}\n`).join("");

async function start(more: Partial<SinkConfigs["http"]> = {}, path = "in") {
  const subscriber = await newSubscriber();
  const config: SinkConfigs["http"] = {
    type: "http",
    url: subscriber.url(path),
    headers: {},
    body: "jsonl",
    compress: false,
    ...more,
  };
  return { subscriber, receiver: newReceiver(config) };
}

describe("a body", () => {
  test("of lines", async () => {
    const { receiver, subscriber } = await start();
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "accepted",
      statusCode: 204,
    });
    const [request] = subscriber.received;
    expect(request?.body.toString()).toBe(LINES);
    expect(request?.headers).toMatchObject({
      "content-type": "application/x-ndjson",
      "user-agent": "Annals-Sinks/1.0",
      "accept-encoding": "identity",
    });
  });

  test("of an array", async () => {
    const { receiver, subscriber } = await start({ body: "array" });
    await sendBatch(receiver, RECORDS);
    const [request] = subscriber.received;
    expect(request?.json).toStrictEqual(RECORDS.map(({ json }) => JSON.parse(json)));
    expect(request?.headers["content-type"]).toBe("application/json");
  });

  test("compressed", async () => {
    const { receiver, subscriber } = await start({ compress: true });
    await sendBatch(receiver, RECORDS);
    const [request] = subscriber.received;
    expect(request?.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(request?.body ?? "").toString()).toBe(LINES);
  });

  test("with the headers of the sink, but not those that say how a message is sent", async () => {
    const headers = {
      "X-Api-Key": "secret",
      "Content-Type": "application/json",
      Host: "other.example",
      "Content-Length": "1",
    };
    const { receiver, subscriber } = await start({ headers });
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({ outcome: "accepted" });
    const [request] = subscriber.received;
    expect(request?.headers).toMatchObject({
      "x-api-key": "secret",
      "content-type": "application/json",
      host: `127.0.0.1:${subscriber.port}`,
      "content-length": String(LINES.length),
    });
  });

  test("without a record is not sent", async () => {
    const { receiver, subscriber } = await start();
    expect(await sendBatch(receiver, [])).toMatchObject({ outcome: "accepted" });
    expect(subscriber.received).toEqual([]);
  });
});

test("its bytes are counted before they are sent", async () => {
  const { receiver } = await start();
  const batch = receiver.open({
    accountId: "acct_1",
    sinkId: "sink_1",
    format: "annals",
    replays: 0,
    state: undefined,
  });
  await batch.add(RECORDS);
  expect(batch.bytes).toBe(LINES.length);
  batch.discard();
  expect(batch.bytes).toBe(0);
});

describe("a status", () => {
  test.each([200, 201, 202, 204])("%i accepts", async (status) => {
    const { receiver, subscriber } = await start();
    subscriber.answer = (response) => void response.writeHead(status).end();
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "accepted",
      statusCode: status,
    });
  });

  test.each([301, 302, 307, 400, 401, 403, 404, 413, 429, 500, 503])(
    "%i refuses, and is not followed",
    async (status) => {
      const { receiver, subscriber } = await start();
      const other = await newSubscriber();
      subscriber.answer = (response) =>
        void response.writeHead(status, { location: other.url() }).end("not\u0000 today\n");
      expect(await sendBatch(receiver, RECORDS)).toMatchObject({
        outcome: "refused",
        statusCode: status,
        error: `The receiver responded with status ${status}: not today`,
      });
      expect(other.connections).toBe(0);
    },
  );

  test("429 says how long to wait", async () => {
    const { receiver, subscriber } = await start();
    subscriber.answer = (response) => void response.writeHead(429, { "retry-after": "17" }).end();
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({ retryAfterS: 17 });
  });
});

describe("an error", () => {
  test("has nothing that was sent as a secret, however it is sent back", async () => {
    const headers = {
      authorization: "Bearer s3cr3t-t0ken",
      "x-api-key": 'k"y+4711',
      "x-basic": `Basic ${Buffer.from("user:passw0rd").toString("base64")}`,
    };
    const path = "v1/0123456789abcdef?token=query-s3cret";
    const { receiver, subscriber } = await start({ headers }, path);
    subscriber.answer = (response, { headers: received, path: asked }) => {
      const { authorization = "" } = received;
      const key = String(received["x-api-key"]);
      const echoed = [
        authorization,
        authorization.toUpperCase().slice(7),
        JSON.stringify(key),
        encodeURIComponent(key),
        received["x-basic"],
        "passw0rd",
        asked,
      ];
      response.writeHead(401).end(`wrong: ${echoed.join(" ")}`);
    };
    const { error = "" } = await sendBatch(receiver, RECORDS);
    expect(error).toContain("401: wrong: [removed]");
    for (const secret of ["t0ken", "4711", "passw0rd", "dXNlcj", "query-s3cret", "9abcdef"])
      expect(error.toLowerCase()).not.toContain(secret);
  });

  test("has the first 200 characters of a response, and no secret that is cut there", async () => {
    const { receiver, subscriber } = await start({ headers: { "x-key": "abcdefghij" } });
    subscriber.answer = (response) =>
      void response.writeHead(500).end(`${"x".repeat(195)}abcdefghij`);
    const { error = "" } = await sendBatch(receiver, RECORDS);
    expect(error).toMatch(/x{195}\[remo…$/);
  });

  test("names a header that cannot be sent", async () => {
    const { receiver, subscriber } = await start({ headers: { "x-key": "a\nb: secret" } });
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "refused",
      error: "A header of the sink has a character that HTTP forbids.",
    });
    expect(subscriber.connections).toBe(0);
  });
});
