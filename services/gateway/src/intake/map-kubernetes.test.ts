// Guarantees: a recorded body of a kube-apiserver becomes the events of events.txt. Nothing that a user of
// the cluster may choose, such as names, paths and objects that cannot be kept, keeps an action out of the
// log.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, type JsonValue } from "@annals/event";
import { atOnce } from "@annals/contract";
import { describe, expect, test } from "vitest";
import { listOf } from "./json-slices.ts";
import type { MappedEvent } from "./item.ts";
import { eventOf, ITEM, mapped as map, nested, OPTIONS } from "../testing/kubernetes-item.ts";

const SAMPLE = join(import.meta.dirname, "../testing/kubernetes-audit");

const itemsOf = (body: Buffer) =>
  atOnce(listOf(body, { name: "items", maxElements: 1_000 })).elements ?? [];

describe("a recorded body", () => {
  test("becomes the events that are beside it", async () => {
    const items = itemsOf(readFileSync(join(SAMPLE, "event-list.jsonl")));
    const mapped = items.map((item) => map(item));
    expect(mapped).toHaveLength(10);
    expect(mapped.filter((item) => "rejected" in item)).toEqual([]);
    expect(mapped.filter((item) => "event" in item).length).toBeGreaterThan(8);
    const text = `${JSON.stringify(mapped, undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(SAMPLE, "events.txt"));
  });
});

describe("an item", () => {
  test("has each member in its place", () => {
    expect(map(ITEM)).toEqual({
      event: {
        action: "kubernetes.pods.update",
        actor: {
          id: "ada@example.com",
          type: "user",
          meta: { uid: "u-1", groups: ["dev"], extra: { why: ["x"] } },
        },
        target: {
          type: "pods",
          id: "shop/web",
          meta: { namespace: "shop", name: "web", api_version: "v1" },
        },
        context: {
          ip: "203.0.113.7",
          ips: ["203.0.113.7", "10.0.0.1"],
          user_agent: "kubectl/v1.34",
          request_uri: ITEM.requestURI,
        },
        metadata: {
          audit_id: "a1",
          stage: "ResponseComplete",
          level: "RequestResponse",
          status_code: 200,
          outcome: "success",
          annotations: ITEM.annotations,
        },
        occurred_at: ITEM.requestReceivedTimestamp,
      },
      idempotencyKey: "a1:ResponseComplete",
      isKeyOfContent: true,
      isReduced: false,
    });
  });

  test.each([
    [
      "kubernetes.deployments.scale.patch",
      "deployments.apps",
      { resource: "deployments", apiGroup: "apps", subresource: "scale" },
      "patch",
    ],
    ["kubernetes.nodes.list", "nodes", { resource: "nodes" }, "list"],
  ])("is the action %s", (action, type, objectRef, verb) => {
    expect(eventOf({ ...ITEM, objectRef, verb })).toMatchObject({ action, target: { type } });
  });

  test("of no resource has the path as its target", () => {
    const { objectRef: _, ...item } = { ...ITEM, requestURI: "/healthz?verbose", verb: "get" };
    const target = { type: "nonresource", id: "/healthz" };
    expect(eventOf(item)).toMatchObject({ action: "kubernetes.nonresource.get", target });
  });

  test.each([
    ["system:serviceaccount:shop:web", "service_account"],
    ["system:node:n1", "node"],
    ["system:kube-scheduler", "system"],
    ["systemic", "user"],
  ])("by %s is of a %s", (username, type) => {
    expect(eventOf({ ...ITEM, user: { username } }).actor).toEqual({ id: username, type });
  });

  test("says as whom a user acted", () => {
    const impersonatedUser = { username: "root", groups: ["system:masters"] };
    const impersonated = { user: "root", groups: ["system:masters"] };
    expect(eventOf({ ...ITEM, impersonatedUser }).actor?.["meta"]).toMatchObject({ impersonated });
  });

  test.each([
    [{ code: 399 }, "success"],
    [{ code: 400 }, "failure"],
    [{ code: 409, reason: "Conflict" }, "failure"],
    [undefined, "unknown"],
  ])("with the status %j is a %s", (responseStatus, outcome) => {
    expect(eventOf({ ...ITEM, responseStatus }).metadata["outcome"]).toBe(outcome);
  });

  test("that ended in a panic is a failure", () => {
    expect(eventOf({ ...ITEM, stage: "Panic" }).metadata["outcome"]).toBe("failure");
  });

  test.each(["RequestReceived", "ResponseStarted"])("of the stage %s is skipped", (stage) => {
    expect(map({ ...ITEM, stage })).toEqual({ skipped: `stage ${stage}` });
  });

  test("of refused credentials, of which there is no later stage, is a failure", () => {
    const responseStatus = { code: 401 };
    const item = { ...ITEM, stage: "ResponseStarted", user: {}, responseStatus };
    const { actor, metadata } = eventOf(item);
    expect(actor).toEqual({});
    expect(metadata).toMatchObject({ outcome: "failure", status_code: 401 });
    // A user that is known is refused at the end of the request, or by another server behind this one.
    const { user } = ITEM;
    expect(map({ ...item, user })).toHaveProperty("skipped");
    expect(map({ ...item, responseStatus: { code: 200 } })).toHaveProperty("skipped");
  });

  test.each([
    ["no object", "[]", "must be a JSON object with distinct members"],
    ["cut off", '{"stage":"Panic"', "must be a JSON object with distinct members"],
    [
      "a member twice",
      '{"stage":"Panic","stage":"Panic"}',
      "must be a JSON object with distinct members",
    ],
    ["no stage", { ...ITEM, stage: undefined }, /^stage must be one of/],
    ["no id", { ...ITEM, auditID: "" }, "auditID is required"],
    ["no verb", { ...ITEM, verb: undefined }, "verb is required"],
    ["a user that is no object", { ...ITEM, user: "secret" }, "user must be an object"],
    [
      "an invalid time",
      { ...ITEM, requestReceivedTimestamp: "secret" },
      "requestReceivedTimestamp must be a time",
    ],
  ])("with %s is rejected, without a value in the reason", (_, item, reason) => {
    expect(map(item)).toEqual({ rejected: expect.stringMatching(reason) });
    expect(JSON.stringify(map(item))).not.toContain("secret");
  });
});

describe("an item that is too large", () => {
  const large = (bytes: number) => ({ kind: "ConfigMap", data: { a: "x".repeat(bytes) } });

  test("keeps the request's object as long as there is room without the response's", () => {
    const mapped = map({ ...ITEM, requestObject: large(30_000), responseObject: large(40_000) });
    expect(mapped).toMatchObject({
      isReduced: true,
      event: {
        metadata: {
          request_object: large(30_000),
          response_object: {
            annals_omitted: { bytes: 40_036, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
          },
        },
      },
    });
  });

  test("loses both where one alone is too large, and its annotations after them", () => {
    const annotations = { a: "y".repeat(70_000) };
    const all = { requestObject: large(70_000), responseObject: large(10), annotations };
    const { metadata } = eventOf({ ...ITEM, ...all });
    for (const name of ["request_object", "annotations"])
      expect(metadata[name]).toHaveProperty("annals_omitted");
    expect(size(eventOf({ ...ITEM, ...all }))).toBeLessThan(65_536);
  });

  test("one of the greatest size is whole, and one byte more is not", () => {
    const room = OPTIONS.maxBytes - size(eventOf({ ...ITEM, responseObject: large(0) }));
    expect(map({ ...ITEM, responseObject: large(room) })).toMatchObject({ isReduced: false });
    expect(map({ ...ITEM, responseObject: large(room + 1) })).toMatchObject({ isReduced: true });
  });

  test("with the longest names and paths is an event", () => {
    const long = "\u0001".repeat(20_000);
    const names = {
      resource: long,
      subresource: long,
      namespace: long,
      name: long,
      apiGroup: long,
    };
    const event = eventOf({
      ...ITEM,
      auditID: long,
      verb: long,
      requestURI: long,
      userAgent: long,
      user: { username: long, uid: long, groups: [long], extra: { [long]: [long] } },
      impersonatedUser: { username: long, groups: [long] },
      sourceIPs: [long],
      objectRef: { ...names, uid: long, apiVersion: long },
      responseStatus: { code: 404, reason: long },
      level: long,
      annotations: { [long]: long },
    });
    expect(size(event)).toBeLessThanOrEqual(OPTIONS.maxBytes);
    expect(Array.from(event.action).length).toBeLessThanOrEqual(255);
  });
});

const size = ({ action, occurred_at: _time, ...parts }: MappedEvent) =>
  Object.values(parts).reduce<number>(
    (sum, part) => sum + Buffer.byteLength(canonicalJson(part as JsonValue)),
    Buffer.byteLength(action) + "{}".length,
  );

describe("what canonical JSON cannot carry", () => {
  test("is kept as text, and the item says so", () => {
    const text = JSON.stringify({ ...ITEM, requestObject: { n: 0 } }).replace(
      '"n":0',
      String.raw`"n":9007199254740993,"half":"\ud800"`,
    );
    expect(eventOf(text).metadata).toMatchObject({
      request_object: { n: "9007199254740993", half: "\ufffd" },
      annals_altered: true,
    });
  });

  test.each([
    ["U+0000 in a name", { ...ITEM, objectRef: { ...ITEM.objectRef, name: "a\0" } }],
    ["half of a pair in a path", { ...ITEM, requestURI: "/\ud800" }],
  ])("%s keeps no action out", (_, item) => {
    expect(eventOf(item).metadata["annals_altered"]).toBe(true);
  });

  test("names of a user's extra that become the same keep no action out, nor the user", () => {
    const user = { username: "ada", extra: { "\ud800": ["a"], "\udbff": ["b"] } };
    expect(map({ ...ITEM, user })).toMatchObject({
      isReduced: true,
      event: { actor: { id: "ada", meta: { extra: { annals_omitted: expect.any(Object) } } } },
    });
  });

  test("invalid UTF-8 keeps no action out", () => {
    const [before = "", after = ""] = JSON.stringify({ ...ITEM, userAgent: "@@" }).split("@@");
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    expect(eventOf(bytes).context).toMatchObject({ user_agent: "\ufffd" });
  });

  test.each([
    ["a name twice", '{"a":1,"a":2}'],
    ["a nesting of 100 levels", JSON.stringify(nested(100, 1))],
    ["100,000 values", JSON.stringify(Array.from({ length: 100_000 }, () => 0))],
  ])("an object with %s is left out, and nothing else", (_, object) => {
    const text = JSON.stringify({ ...ITEM, requestObject: 0 }).replace(
      '"requestObject":0',
      `"requestObject":${object}`,
    );
    expect(map(text)).toMatchObject({
      isReduced: true,
      event: { metadata: { request_object: { annals_omitted: { bytes: object.length } } } },
    });
  });
});
