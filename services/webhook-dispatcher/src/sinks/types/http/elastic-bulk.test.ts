// Guarantee: a `_bulk` request creates each event under its id, and its batch is accepted only if every item
// is stored: an item with status 409 is stored already, any other error refuses the batch and is named.

import type { SinkConfigs } from "@annals/interface";
import { describe, expect, test } from "vitest";
import { newSubscriber } from "../../../testing/receivers.ts";
import { newReceiver, sendBatch, sinkRecords } from "../../../testing/sink-receivers.ts";
import { MAX_BULK_RESPONSE_BYTES } from "./elastic-bulk.ts";

const RECORDS = sinkRecords(1, 3);
const CREATED = { create: { status: 201 } };
const STORED = {
  create: { status: 409, error: { type: "version_conflict_engine_exception", reason: "exists" } },
};
const failed = (status: number, type: string, reason: string) => ({
  create: { status, error: { type, reason } },
});

async function start(answer: string, path = "audit/_bulk") {
  const subscriber = await newSubscriber();
  subscriber.answer = (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(answer);
  const config: SinkConfigs["http"] = {
    type: "http",
    url: subscriber.url(path),
    headers: { authorization: "ApiKey s3cr3t-t0ken" },
    body: "elastic",
    compress: false,
  };
  return { subscriber, receiver: newReceiver(config) };
}

async function resultOf(answer: unknown) {
  const { receiver } = await start(typeof answer === "string" ? answer : JSON.stringify(answer));
  return sendBatch(receiver, RECORDS);
}

test("each record is created under the id of its event", async () => {
  const { receiver, subscriber } = await start('{"errors":false}');
  expect(await sendBatch(receiver, RECORDS)).toMatchObject({
    outcome: "accepted",
    statusCode: 200,
  });
  const [request] = subscriber.received;
  expect(request?.body.toString()).toBe(
    RECORDS.map(({ id, json }) => `{"create":{"_id":"${id}"}}\n${json}\n`).join(""),
  );
  expect(request?.path).toBe(
    "/audit/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason",
  );
});

test.each([
  ["audit/_bulk?pipeline=p", "&filter_path=errors,"],
  ["audit/_bulk?filter_path=errors", "filter_path=errors"],
])("the query of %s stays", async (path, more) => {
  const { receiver, subscriber } = await start('{"errors":false}', path);
  await sendBatch(receiver, RECORDS);
  expect(subscriber.received[0]?.path).toContain(`/${path}`);
  expect(subscriber.received[0]?.path).toContain(more);
});

describe("a response", () => {
  test("whose items are created, or were before, accepts", async () => {
    const answer = { errors: true, items: [CREATED, STORED, STORED] };
    expect(await resultOf(answer)).toMatchObject({ outcome: "accepted" });
  });

  test("with items that are all refused for good names the place of the first", async () => {
    const first = failed(400, "mapper_parsing_exception", "failed for s3cr3t-t0ken");
    const answer = { errors: true, items: [CREATED, first, failed(422, "other", "no")] };
    expect((await resultOf(answer)).refusal).toEqual({
      kind: "record",
      index: 1,
      status: 400,
      reason: "mapper_parsing_exception: failed for [removed]",
    });
  });

  test("with another error refuses, and names the first", async () => {
    const first = failed(400, "mapper_parsing_exception", "failed for s3cr3t-t0ken");
    const answer = { errors: true, items: [STORED, first, failed(429, "rejected", "busy")] };
    const result = await resultOf(answer);
    // One of them may be stored later: nothing is refused for good yet.
    expect(result.refusal).toBeUndefined();
    expect(result).toMatchObject({
      outcome: "refused",
      statusCode: 200,
      error:
        "2 of 3 items failed, the first with status 400, mapper_parsing_exception: failed for [removed].",
    });
  });

  test.each([
    "",
    "{}",
    "[]",
    "null",
    '{"items":[]}',
    '{"errors":true}',
    '{"errors":"no"}',
    "<html>",
  ])("%j does not say whether the items are stored", async (answer) => {
    expect(await resultOf(answer)).toMatchObject({ outcome: "invalid_response", statusCode: 200 });
  });

  test.each([null, 3, [], {}, { create: null }, { create: { status: "201" } }])(
    "with the item %j refuses",
    async (item) => {
      expect(await resultOf({ errors: true, items: [item] })).toMatchObject({ outcome: "refused" });
    },
  );

  test.each([
    ['{"errors":false,"items":[', "accepted"],
    ['{"took":30,"errors":false,"items":[', "accepted"],
    ['{"took":30,"errors":true,"items":[', "refused"],
    ['{"items":[', "invalid_response"],
  ])("beyond its bound that begins with %s is %s", async (head, outcome) => {
    const filling = `${JSON.stringify(CREATED)},`.repeat(MAX_BULK_RESPONSE_BYTES / 26);
    expect(await resultOf(`${head}${filling}${JSON.stringify(CREATED)}]}`)).toMatchObject({
      outcome,
    });
  });
});
