// Guarantee: the SDK of CloudEvents for JavaScript is a client of intake in each mode of the HTTP binding,
// and a retry in any of them is replayed. What the specification shows as examples is stored as it says:
// absent and null attributes, data that is text, JSON or octets, and headers with encoded characters.

import { HttpClient, newClient } from "@annals/testing";
import { CloudEvent, HTTP, type Message } from "cloudevents";
import { beforeEach, describe, expect, inject, test } from "vitest";

const PATH = "/v1/intake/cloudevents";
const STORED = { stored: 1, replayed: 0, rejected: 0 };
const REPLAYED = { stored: 0, replayed: 1, rejected: 0 };

let client: HttpClient;
beforeEach(async () => {
  ({ client } = await newClient(inject("stack")));
});

const eventOf = (id: string, more: object = {}) =>
  new CloudEvent({
    id,
    source: "/billing",
    type: "com.example.invoice.update",
    subject: "inv_9",
    time: "2026-01-31T09:30:00.052Z",
    datacontenttype: "application/json",
    actorid: "u_1",
    actortype: "user",
    outcome: "success",
    data: { total: 1_200, lines: [{ text: "€" }] },
    ...more,
  });

/** What the SDK would hand to any HTTP library. */
async function send({ body, headers }: Pick<Message, "body" | "headers">) {
  const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const answer = await client.post(PATH, body, { headers: Object.fromEntries(sent) });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

function batchOf(events: readonly CloudEvent<object>[]): Pick<Message, "body" | "headers"> {
  const headers = { "content-type": "application/cloudevents-batch+json" };
  return { headers, body: JSON.stringify(events) };
}

async function stored() {
  return (await client.get("/v1/events?order=asc")).body.data;
}

const MODES = {
  binary: (event: CloudEvent<object>) => HTTP.binary(event),
  structured: (event: CloudEvent<object>) => HTTP.structured(event),
  batched: (event: CloudEvent<object>) => batchOf([event]),
};

describe("the SDK", () => {
  test.each(Object.entries(MODES))("in %s mode", async (_, message) => {
    const event = eventOf("1");
    expect(await send(message(event))).toMatchObject(STORED);
    expect(await send(message(event))).toMatchObject(REPLAYED);
    expect(await stored()).toMatchObject([
      {
        action: event.type,
        actor: { id: "u_1", type: "user" },
        target: { id: "inv_9" },
        metadata: { outcome: "success", data: event.data, cloudevents: { source: "/billing" } },
        occurred_at: "2026-01-31T09:30:00.052000Z",
      },
    ]);
  });

  test("an event that is sent again in another mode is the same event", async () => {
    const event = eventOf("1");
    expect(await send(HTTP.structured(event))).toMatchObject(STORED);
    expect(await send(batchOf([event]))).toMatchObject(REPLAYED);
  });

  test("a batch of 1,000 of its events, and octets in structured mode", async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => eventOf(String(n)));
    expect(await send(batchOf(many))).toMatchObject({ stored: 1_000, rejected: 0 });
    const octets = { datacontenttype: "application/octet-stream", data: new Uint8Array([0, 255]) };
    expect(await send(HTTP.structured(eventOf("octets", octets)))).toMatchObject(STORED);
    const { body } = await client.get("/v1/events?limit=1");
    expect(body.data[0].metadata.data_base64).toBe("AP8=");
  });
});

describe("examples of the specification", () => {
  const REQUIRED = { specversion: "1.0", type: "com.example.someevent", source: "/mycontext" };
  const structured = (event: object) =>
    send({
      headers: { "content-type": "application/cloudevents+json; charset=utf-8" },
      body: JSON.stringify(event),
    });

  test("binary: headers, with an extension and a text that is percent-encoded", async () => {
    const attributes = {
      "ce-specversion": "1.0",
      "ce-type": REQUIRED.type,
      "ce-time": "2018-04-05T03:56:24Z",
      "ce-id": "1234-1234-1234",
      "ce-source": "/mycontext/subcontext",
      "ce-comexampleextension1": "Euro%20%E2%82%AC%20%F0%9F%98%80",
    };
    const headers = { "content-type": "application/json; charset=utf-8", ...attributes };
    expect(await send({ headers, body: '{"much":"wow"}' })).toMatchObject(STORED);
    const [{ metadata, occurred_at: at }] = await stored();
    expect(at).toBe("2018-04-05T03:56:24.000000Z");
    expect(metadata.data).toEqual({ much: "wow" });
    expect(metadata.cloudevents).toMatchObject({ comexampleextension1: "Euro € 😀" });
  });

  /** By what the JSON format says of each: what is sent, and what of it is kept. */
  const FORMATS: readonly [string, object, object][] = [
    [
      "text that is XML",
      { datacontenttype: "text/xml", data: '<much wow="xml"/>' },
      { data: '<much wow="xml"/>' },
    ],
    [
      "octets",
      { datacontenttype: "application/vnd.apache.thrift.binary", data_base64: "AP8=" },
      { data_base64: "AP8=" },
    ],
    [
      "an object",
      {
        datacontenttype: "application/json",
        data: { appinfoA: "abc", appinfoB: 123, appinfoC: true },
      },
      { data: { appinfoA: "abc", appinfoB: 123, appinfoC: true } },
    ],
    [
      "a text that is JSON",
      { datacontenttype: "application/json", data: "text" },
      { data: "text" },
    ],
    ["JSON without its type", { data: [1, "two"] }, { data: [1, "two"] }],
  ];

  test.each(FORMATS)("JSON format: %s", async (_, given, kept) => {
    const event = { ...REQUIRED, id: "A234-1234-1234", comexampleothervalue: 5, ...given };
    expect(await structured({ ...event, subject: null, unsetextension: null })).toMatchObject(
      STORED,
    );
    const [{ metadata, target }] = await stored();
    expect(metadata).toMatchObject(kept);
    expect(metadata.cloudevents.comexampleothervalue).toBe(5);
    // An attribute that is null is absent.
    expect(metadata.cloudevents).not.toHaveProperty("unsetextension");
    expect(target).toEqual({});
  });

  test("JSON batch format: two events of different sources, and an empty batch", async () => {
    const events = [
      { ...REQUIRED, id: "B234-1234-1234", source: "/mycontext/4", time: "2018-04-05T17:31:00Z" },
      { ...REQUIRED, id: "B234-1234-1234", source: "/mycontext/9", data: { appinfoA: "abc" } },
    ];
    const headers = { "content-type": "application/cloudevents-batch+json; charset=utf-8" };
    const counts = { stored: 2, replayed: 0, rejected: 0 };
    expect(await send({ headers, body: JSON.stringify(events) })).toMatchObject(counts);
    expect(await send({ headers, body: "[]" })).toMatchObject({ stored: 0, rejected: 0 });
    expect(await stored()).toHaveLength(2);
  });
});
