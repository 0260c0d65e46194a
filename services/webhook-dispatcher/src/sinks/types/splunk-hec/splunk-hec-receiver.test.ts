// Guarantee: the event collector of Splunk gets each event with its time, its source and its index. With
// acknowledgement, a batch is accepted when the indexer has acknowledged it, and a batch that is sent again
// after a slow acknowledgement is not stored twice.

import type { SinkConfigs } from "@annals/interface";
import { describe, expect, test } from "vitest";
import type { Received } from "@annals/testing";
import { newSubscriber } from "../../../testing/receivers.ts";
import {
  newReceiver,
  sendBatch,
  sinkRecord,
  sinkRecords,
} from "../../../testing/sink-receivers.ts";

const RECORDS = sinkRecords(1, 3);
const EVENT = "/services/collector/event";
const ACK = "/services/collector/ack";
const TOKEN = "0b8e2b5c-s3cret";

/** A collector that says what `acks` says of each batch, in turn. */
async function start(more: Partial<SinkConfigs["splunk_hec"]> = {}, acks: readonly boolean[] = []) {
  const subscriber = await newSubscriber();
  const answers = [...acks];
  subscriber.answer = (response, { path }) => {
    const body =
      path === ACK
        ? { acks: { "7": answers.length > 1 ? answers.shift() : answers[0] } }
        : { text: "Success", code: 0, ackId: 7 };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const config: SinkConfigs["splunk_hec"] = {
    type: "splunk_hec",
    url: subscriber.url("").replace(/\/$/, ""),
    token: TOKEN,
    ack: acks.length > 0,
    ...more,
  };
  const of = (path: string): Received[] => subscriber.received.filter((each) => each.path === path);
  return { config, of, receiver: newReceiver(config), subscriber };
}

describe("an error of the collector", () => {
  const resultOf = async (status: number, body: object) => {
    const { receiver, subscriber } = await start();
    subscriber.answer = (response) => void response.writeHead(status).end(JSON.stringify(body));
    return sendBatch(receiver, RECORDS);
  };

  test.each([6, 12, 13, 15])("with code %i names the event that is refused", async (code) => {
    const body = { text: `Error for ${TOKEN}`, code, "invalid-event-number": 2 };
    const { refusal } = await resultOf(400, body);
    expect(refusal).toMatchObject({ kind: "record", index: 2, status: 400 });
    expect(refusal?.reason).toContain("Error for [removed]");
  });

  test.each([7, 10, 11, 14])("with code %i is of the sink, and of no event", async (code) => {
    const body = { text: "Incorrect index", code, "invalid-event-number": 0 };
    const result = await resultOf(400, body);
    expect([result.outcome, result.refusal]).toEqual(["refused", undefined]);
  });
});

describe("without acknowledgement", () => {
  test("events arrive in order, each with its time", async () => {
    const { of, receiver } = await start({ index: 'audit"s' });
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "accepted",
      statusCode: 200,
    });
    const [request] = of(EVENT);
    const lines = request?.body.toString().trimEnd().split("\n") ?? [];
    expect(lines.map((line) => JSON.parse(line))).toStrictEqual(
      RECORDS.map(({ json }, n) => ({
        time: Number(`1795787627.00000${n + 1}`),
        source: "annals",
        sourcetype: "annals:event",
        index: 'audit"s',
        event: JSON.parse(json),
      })),
    );
    expect(lines[0]).toContain('"time":1795787627.000001,');
    expect(request?.headers["authorization"]).toBe(`Splunk ${TOKEN}`);
    expect(request?.headers["x-splunk-request-channel"]).toBeUndefined();
  });

  test("an event without an index goes to that of the token", async () => {
    const { of, receiver } = await start();
    await sendBatch(receiver, [sinkRecord(1, { occurredAt: "1969-12-31T23:59:59.000001Z" })]);
    expect(of(EVENT)[0]?.json).toMatchObject({ time: 0, source: "annals" });
    expect(of(EVENT)[0]?.json).not.toHaveProperty("index");
  });

  test("a path of the address stays", async () => {
    const { config, subscriber } = await start();
    const receiver = newReceiver({ ...config, url: `${config.url}/splunk/` });
    await sendBatch(receiver, RECORDS);
    expect(subscriber.received[0]?.path).toBe(`/splunk${EVENT}`);
  });

  test("a refusal has the reason of the collector, and not the token", async () => {
    const { receiver, subscriber } = await start();
    subscriber.answer = (response) =>
      void response.writeHead(403).end(`{"text":"Invalid token ${TOKEN}","code":4}`);
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "refused",
      statusCode: 403,
      error: 'The receiver responded with status 403: {"text":"Invalid token [removed]","code":4}',
    });
  });
});

describe("with acknowledgement", () => {
  test("a batch is accepted when the indexer says so, on the channel of its receiver", async () => {
    const { of, receiver } = await start({}, [false, false, true]);
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({ outcome: "accepted" });
    expect([of(EVENT).length, of(ACK).length]).toEqual([1, 3]);
    expect(of(ACK)[0]?.json).toStrictEqual({ acks: [7] });
    const channels = [...of(EVENT), ...of(ACK)].map(
      ({ headers }) => headers["x-splunk-request-channel"],
    );
    expect(new Set(channels).size).toBe(1);
    expect(channels[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("a batch that is not acknowledged in time is not accepted", async () => {
    const { config, of } = await start({}, [false]);
    const receiver = newReceiver(config, { timeoutMs: 700 });
    const result = await sendBatch(receiver, RECORDS);
    expect(result).toMatchObject({
      outcome: "timeout",
      error: "The indexer did not acknowledge the batch in time.",
    });
    expect(of(ACK).length).toBeGreaterThan(1);
  });

  test("one that is acknowledged after its deadline is not sent again", async () => {
    const { config, of, subscriber } = await start({}, [false]);
    const receiver = newReceiver(config, { timeoutMs: 500 });
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({ outcome: "timeout" });
    subscriber.answer = (response) => void response.end('{"acks":{"7":true}}');
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({ outcome: "accepted" });
    expect(of(EVENT).length).toBe(1);
  });

  test("one that is still not acknowledged is sent again, and so is another batch", async () => {
    const { config, of } = await start({}, [false]);
    const receiver = newReceiver(config, { timeoutMs: 500 });
    await sendBatch(receiver, RECORDS);
    await sendBatch(receiver, RECORDS);
    expect(of(EVENT).length).toBe(2);
    const asked = of(ACK).length;
    await sendBatch(receiver, sinkRecords(4, 6));
    expect(of(EVENT).length).toBe(3);
    expect(of(ACK).length).toBeGreaterThan(asked);
  });

  test("a token without it is named", async () => {
    const { receiver, subscriber } = await start({ ack: true });
    subscriber.answer = (response) => void response.end('{"text":"Success","code":0}');
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "refused",
      error: "The response has no ackId: acknowledgement is not enabled for this token.",
    });
  });

  test("a failure of the question for it is the failure of the batch", async () => {
    const { receiver, subscriber } = await start({ ack: true });
    subscriber.answer = (response, { path }) =>
      void (path === ACK
        ? response.writeHead(503, { "retry-after": "9" }).end()
        : response.end('{"ackId":0}'));
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "refused",
      statusCode: 503,
      retryAfterS: 9,
    });
  });
});
