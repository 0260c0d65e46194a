// Guarantee: every attribute of a CloudEvent is in its event, once, and what is not a CloudEvent 1.0 is
// rejected with a reason that has no value of it.

import type { JsonObject } from "@annals/event";
import { describe, expect, test } from "vitest";
import { Rejection } from "./item.ts";
import { cloudEventOf, mapCloudEvent } from "./map-cloudevents.ts";

const EVENT = { specversion: "1.0", id: "1", source: "/billing", type: "invoice.update" };
const map = (more: JsonObject = {}) =>
  mapCloudEvent(cloudEventOf({ value: { ...EVENT, ...more }, isAltered: false }));

test("has each attribute in its place", () => {
  const placed = {
    time: "2026-01-31T09:30:00Z",
    subject: "inv_9",
    targettype: "invoice",
    actorid: "u_1",
    actortype: "user",
    outcome: "failure",
  };
  const others = { datacontenttype: "application/json", dataschema: "/s", traceparent: "00", n: 7 };
  expect(map({ ...placed, ...others, data: { total: 1 } })).toEqual({
    event: {
      action: "invoice.update",
      actor: { id: "u_1", type: "user" },
      target: { id: "inv_9", type: "invoice" },
      metadata: {
        cloudevents: { specversion: "1.0", id: "1", source: "/billing", ...others },
        outcome: "failure",
        data: { total: 1 },
      },
      occurred_at: placed.time,
    },
    idempotencyKey: "/billing 1",
  });
});

test("data of null is data, an attribute of null is absent, data_base64 stays what it is", () => {
  expect(map({ data: null, subject: null })).toMatchObject({
    event: { target: {}, metadata: { data: null } },
  });
  expect(map({ data_base64: "AAE=" })).toMatchObject({
    event: { metadata: { data_base64: "AAE=" } },
  });
});

test("long ids are shortened in their place and whole beside it; a long key is a hash", () => {
  const subject = "s".repeat(300);
  const mapped = map({ subject, id: "i".repeat(300) });
  expect(mapped).toMatchObject({
    event: {
      target: { id: expect.stringMatching(/^s{222}…[0-9a-f]{32}$/), meta: { id: subject } },
    },
    idempotencyKey: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
});

test("two pairs of source and id never have one key", () => {
  const keyOf = (source: string, id: string) => {
    const mapped = map({ source, id });
    return "event" in mapped ? mapped.idempotencyKey : expect.fail();
  };
  expect(keyOf("a", "b c")).not.toBe(keyOf("a b", "c"));
});

describe("rejects", () => {
  test.each<[string, JsonObject, string]>([
    ["another version", { specversion: "0.3" }, "specversion must be 1.0"],
    ["no id", { id: "" }, "id is required"],
    ["no source", { source: null }, "source is required"],
    ["no type", { type: null }, "type is required"],
    ["an id that is a number", { id: 7 }, "id must be a string"],
    ["a time that is not one", { time: "secret" }, "time must be a time of RFC 3339"],
    [
      "an outcome of its own",
      { outcome: "secret" },
      "outcome must be one of success, failure, unknown",
    ],
    [
      "an attribute in capitals",
      { Secret: "x" },
      "the name of an attribute must be of a to z and 0 to 9",
    ],
    [
      "an attribute that is an object",
      { a: {} },
      "a must be a string, a boolean or an integer of 32 bits",
    ],
    [
      "an integer beyond 32 bits",
      { a: 2 ** 31 },
      "a must be a string, a boolean or an integer of 32 bits",
    ],
    ["data twice", { data: 1, data_base64: "AAE=" }, "data and data_base64 must not both be there"],
    ["what is not base64", { data_base64: "secret!" }, "data_base64 must be base64"],
  ])("%s", (_, more, reason) => {
    expect(() => map(more)).toThrow(new Rejection(reason));
  });

  test("what is not an object", () => {
    expect(() => cloudEventOf({ value: [], isAltered: false })).toThrow(
      new Rejection("a CloudEvent must be an object"),
    );
  });
});
