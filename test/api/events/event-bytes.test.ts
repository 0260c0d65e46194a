// An event has the same bytes wherever it is shown: in the answer to its append, read by its id, in a list
// and in an export. Its parts are the canonical text (RFC 8785) of what was sent, whichever way the body was
// written: plain, or with all that only the strict reader takes. The same event has the same bytes in both.

import { canonicalJson, type JsonObject, type JsonValue } from "@annals/event";
import { describe, expect, inject, test } from "vitest";
import { exported, newExporter } from "../../system/exports-client.ts";

const { client } = await newExporter(inject("stack"), []);

/** Bodies of one event: the plain one first, then others that say the same. */
const SAME: readonly (readonly [string, ...string[]])[] = [
  [
    '{"action":"a.b","actor":{"id":"u_1","meta":{"a":1,"b":[true,null,"x"]},"type":"user"},"metadata":{"n":100}}',
    '{"metadata":{"n":1e2},"actor":{"type":"user","meta":{"b":[true,null,"x"],"a":1.0},"id":"u_1"},"action":"a.b"}',
    String.raw`{"\u0061ction":"a\u002eb","actor":{"id":"u\u005f1","meta":{"a":1,"b":[true,null,"\u0078"]},"type":"user"},
      "metadata":{"n":100.0}}`,
  ],
  [
    String.raw`{"action":"é😀\"\\\n","target":{"id":"ü\t","type":"ß"},"diff":{"after":{"z":"\u2028"},"before":{}}}`.replace(
      String.raw`\u2028`,
      "\u2028",
    ),
    String.raw`{"diff":{"before":{},"after":{"z":"\u2028"}},"target":{"type":"\u00df","id":"\u00fc\u0009"},
      "action":"\u00e9\ud83d\ude00\u0022\u005c\u000a"}`,
  ],
  [
    String.raw`{"action":"\u0001","metadata":{"\n":4,"\u001f":2,"a\"b":3,"é":1}}`,
    String.raw`{"metadata":{"\u00e9":1,"a\u0022b":3,"\u001F":2,"\u000a":4},"action":"\u0001"}`,
  ],
];

/** Bodies that are never plain: their canonical text has numbers or lengths that plain JSON lacks. */
const UNUSUAL = [
  '{"action":"a","context":{"small":1e-7,"large":1e21,"exact":9007199254740991,"zero":-0}}',
  `{"action":"${"é".repeat(255)}","actor":{"id":"${"😀".repeat(255)}"}}`,
];

/** Sends the bodies one by one, and all in one batch; resolves to each event as it was answered. */
async function stored(bodies: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const body of bodies) {
    const { status, text } = await client.post("/v1/events", body);
    expect(status, text).toBe(201);
    texts.push(text.slice('{"data":'.length, -1));
  }
  const batch = await client.post("/v1/events/batch", `{"events":[${bodies.join(",")}]}`);
  expect(batch.status, batch.text).toBe(201);
  const parts = batch.text.slice('{"data":['.length, -2).split(/,(?=\{"id":"evt_)/);
  expect(parts).toHaveLength(bodies.length);
  return [...texts, ...parts];
}

async function expectTheSameEverywhere(texts: readonly string[]): Promise<void> {
  const { text: list } = await client.get("/v1/events?limit=100");
  const { content } = await exported(client, {});
  for (const text of texts) {
    const { id } = JSON.parse(text) as { id: string };
    expect((await client.get(`/v1/events/${id}`)).text).toBe(`{"data":${text}}`);
    expect(list).toContain(text);
    expect(content.text.split("\n")).toContain(text);
  }
}

/** What the client said of an event, in the canonical text of what the strict reader of JSON makes of it. */
function saidIn(text: string): string {
  const event = JSON.parse(text) as JsonObject;
  const said = ["action", "actor", "target", "context", "diff", "metadata"].map((name) => [
    name,
    event[name] as JsonValue,
  ]);
  return canonicalJson(Object.fromEntries(said) as JsonObject);
}

describe("201", () => {
  test.each(SAME)("plain or not, an event has the same bytes: %s", async (...bodies) => {
    const texts = await stored(bodies);
    expect(new Set(texts.map(saidIn)).size).toBe(1);
    await expectTheSameEverywhere(texts);
  });

  test.each(UNUSUAL)("an event that is never plain: %s", async (body) => {
    const texts = await stored([body]);
    const parts = { actor: {}, target: {}, context: {}, diff: {}, metadata: {} };
    const sent = canonicalJson({ ...parts, ...(JSON.parse(body) as JsonObject) });
    for (const text of texts) expect(saidIn(text)).toBe(sent);
    await expectTheSameEverywhere(texts);
  });

  test("all of it is in a chain that verifies", async () => {
    const { body } = await client.get("/v1/verify");
    expect(body.data).toMatchObject({ valid: true });
  });
});
