// Guarantee: a receiver of OTLP gets each event as a log record with its number and its hashes, and a batch
// of which it rejects a record is not accepted, although the status is 200.

import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  StatusSchema,
} from "@annals/proto/otlp";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { newSubscriber } from "../../../testing/receivers.ts";
import {
  ACCOUNT,
  newReceiver,
  sendBatch,
  sinkRecord,
  sinkRecords,
  streamLine,
} from "../../../testing/sink-receivers.ts";

const RECORDS = sinkRecords(1, 3);
const PROTOBUF = "application/x-protobuf";
const SECRET = "s3cr3t-t0ken";

async function start(path = "v1/logs") {
  const subscriber = await newSubscriber();
  const headers = { authorization: `Bearer ${SECRET}` };
  const url = subscriber.url(path);
  return { subscriber, receiver: newReceiver({ type: "otlp_http", url, headers }) };
}

async function resultOf(status: number, type: string, body: string | Uint8Array) {
  const { receiver, subscriber } = await start();
  subscriber.answer = (response) =>
    void response.writeHead(status, { "content-type": type }).end(body);
  return sendBatch(receiver, RECORDS);
}

function partial(rejectedLogRecords: bigint, errorMessage = ""): Uint8Array {
  const partialSuccess = { rejectedLogRecords, errorMessage };
  return toBinary(
    ExportLogsServiceResponseSchema,
    create(ExportLogsServiceResponseSchema, { partialSuccess }),
  );
}

async function received(records: Parameters<typeof sendBatch>[1]) {
  const { receiver, subscriber } = await start();
  subscriber.answer = (response) => void response.writeHead(200).end();
  expect(await sendBatch(receiver, records)).toMatchObject({ outcome: "accepted" });
  const [request] = subscriber.received;
  expect(request?.headers).toMatchObject({ "content-type": PROTOBUF, "content-encoding": "gzip" });
  const body = fromBinary(ExportLogsServiceRequestSchema, gunzipSync(request?.body ?? ""));
  return body.resourceLogs;
}

/** The values of attributes, by their keys. */
const valuesOf = (
  attributes: readonly { key: string; value?: { value: { value?: unknown } } | undefined }[] = [],
) => Object.fromEntries(attributes.map(({ key, value }) => [key, value?.value.value]));

test("each event is a log record of one resource, with its number and its hashes", async () => {
  const [resourceLogs, ...others] = await received([...RECORDS, streamLine()]);
  expect(others).toEqual([]);
  expect(valuesOf(resourceLogs?.resource?.attributes)).toStrictEqual({
    "service.name": "annals",
    "annals.chain": ACCOUNT,
  });
  const records = resourceLogs?.scopeLogs[0]?.logRecords ?? [];
  expect(records.map(({ body }) => body?.value.value)).toStrictEqual([
    ...RECORDS.map(({ json }) => json),
    streamLine().json,
  ]);
  expect(records[0]).toMatchObject({
    timeUnixNano: 1_795_787_627_000_001_000n,
    observedTimeUnixNano: 1_795_787_627_000_001_000n,
    eventName: "invoice.update",
    severityNumber: 9,
  });
  const [{ hash, previousHash } = sinkRecord(0)] = RECORDS;
  expect(valuesOf(records[0]?.attributes)).toStrictEqual({
    "event.name": "invoice.update",
    "annals.event_id": "evt_1",
    "annals.sequence_number": 1n,
    "annals.hash": hash,
    "annals.previous_hash": previousHash,
  });
  expect(valuesOf(records[3]?.attributes)).toStrictEqual({
    "event.name": "annals.sink.checkpoint",
    "annals.event_id": "evt_0",
  });
});

test.each(["0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"])(
  "the time %s, which the protocol cannot have, is unknown",
  async (occurredAt) => {
    const [resourceLogs] = await received([sinkRecord(1, { occurredAt })]);
    expect(resourceLogs?.scopeLogs[0]?.logRecords[0]?.timeUnixNano).toBe(0n);
  },
);

test.each([
  ["", "/v1/logs"],
  ["otlp/v1/logs", "/otlp/v1/logs"],
])("the path of a URL with the path %j is %s", async (path, expected) => {
  const { receiver, subscriber } = await start(path);
  await sendBatch(receiver, RECORDS);
  expect(subscriber.received[0]?.path).toBe(expected);
});

describe("a response", () => {
  test.each([
    ["without a body", PROTOBUF, ""],
    ["without a rejected record", PROTOBUF, partial(0n, "a warning")],
    ["in JSON", "application/json", '{"partialSuccess":{"rejectedLogRecords":"0"},"more":1}'],
    ["in empty JSON", "application/json; charset=utf-8", "{}"],
  ])("%s accepts", async (_name, type, body) => {
    expect(await resultOf(200, type, body)).toMatchObject({ outcome: "accepted", statusCode: 200 });
  });

  test.each([
    ["in protobuf", PROTOBUF, partial(2n, `too large for ${SECRET}`)],
    [
      "in JSON",
      "application/json",
      `{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too large for ${SECRET}"}}`,
    ],
  ])("with rejected records %s refuses", async (_name, type, body) => {
    expect(await resultOf(200, type, body)).toMatchObject({
      outcome: "refused",
      statusCode: 200,
      error: "2 of the records were rejected: too large for [removed].",
    });
  });

  test.each([
    ["that is no protobuf", PROTOBUF, "\u00ff\u00ff\u00ff"],
    ["of HTML", "text/html", "<html>"],
    ["that is no JSON", "application/json", "{"],
  ])("%s does not accept", async (_name, type, body) => {
    expect(await resultOf(200, type, body)).toMatchObject({ outcome: "invalid_response" });
  });

  test("that fails has the message of its status", async () => {
    const status = create(StatusSchema, { code: 3, message: `bad ${SECRET}` });
    expect(await resultOf(400, PROTOBUF, toBinary(StatusSchema, status))).toMatchObject({
      outcome: "refused",
      statusCode: 400,
      error: "The receiver responded with status 400: bad [removed]",
    });
  });

  test("that fails without a message has its text", async () => {
    expect(await resultOf(502, "text/plain", "bad gateway")).toMatchObject({
      outcome: "refused",
      error: "The receiver responded with status 502: bad gateway",
    });
  });
});
