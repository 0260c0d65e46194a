// GET /v1/events/{id} returns one event of the caller's account, byte for byte what POST returned,
// and with include=proof what recomputing its hash needs (interface 6).
// Whatever is no such id is a 404.

import { canonicalJson, type JsonObject, readJson } from "@annals/event";
import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { recomputedHash } from "../../system/proof.ts";

const stack = inject("stack");
const account = await newClient(stack);
const { client } = account;

/** Texts of whole events: what they hold, JSON.stringify would not write so. */
const EVENTS: readonly (readonly [string, string])[] = [
  ["60,000 characters", `{"action":"a","metadata":{"m":"${"x".repeat(60_000)}"}}`],
  ["every plane", `{"action":"a","context":{"p":"${planes()}","${planes()}":1}}`],
  ["empty names", '{"action":"a","metadata":{"":{"":[{"":""}]}}}'],
  [
    "names with a meaning",
    '{"action":"a","metadata":{"__proto__":{"a":1},"constructor":{"prototype":2},"toJSON":3}}',
  ],
  [
    "integer-like names",
    '{"action":"a","metadata":{"b":1,"10":2,"9":3,"-1":4,"01":5,"4294967295":6}}',
  ],
  [
    "escapes",
    String.raw`{"action":"\"\\\/\b\f\n\r\t\u0001\u2028","actor":{"id":"\u00e9\ud83d\ude00","meta":{"\"":"\u007f"}}}`,
  ],
  [
    "numbers",
    '{"action":"a","metadata":{"n":[1.0,-0,1E5,1e21,1e-7,0.000001,5e-324,9007199254740992]}}',
  ],
  ["HTML", '{"action":"</script><!--","metadata":{"&":"<>&\'"}}'],
];

function planes(): string {
  const points = Array.from({ length: 17 }, (_, plane) => plane * 0x1_00_00 + 0xff_fd);
  return String.fromCodePoint(...points, 0xe0_00, 0xff_ff, 0x1_00_00, 0x10_ff_ff);
}

/** The text of the only member `data` of an answer. */
const dataOf = (text: string) => text.slice('{"data":'.length, -1);

describe("200", () => {
  test.each(EVENTS)("what POST returned, to the byte: %s", async (_, text) => {
    const posted = await client.post("/v1/events", text);
    expect(posted.status).toBe(201);
    const { id } = posted.body.data;
    const got = await client.get(`/v1/events/${id}`);
    expect(got.status).toBe(200);
    expect(got.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(got.text).toBe(posted.text);
    const listed = await client.get("/v1/events?limit=1");
    const tail = /,"has_more":(?:true|false),"next_cursor":(?:null|"[^"]*")\}$/;
    expect(listed.text.replace(tail, "")).toBe(`{"data":[${dataOf(posted.text)}]`);
    // The value is the one that was sent; -0 is 0, as RFC 8785 has it.
    const sent = JSON.parse(JSON.stringify(JSON.parse(text)));
    expect(got.body.data).toMatchObject(sent);
    const read = readJson(Buffer.from(text), { maxDepth: 32, maxValues: 1_000 }) as JsonObject;
    for (const [name, value] of Object.entries(read)) {
      expect(got.text).toContain(`${JSON.stringify(name)}:${canonicalJson(value)}`);
    }
  });

  test("with its proof, from which the hash can be made again", async () => {
    for (const [, text] of EVENTS) {
      const posted = await client.post("/v1/events", text);
      const { id, hash } = posted.body.data;
      const got = await client.get(`/v1/events/${id}?include=proof`);
      expect(Object.keys(got.body)).toEqual(["data", "proof"]);
      expect(Object.keys(got.body.proof)).toEqual(["v", "chain", "salts", "digests"]);
      expect(got.body.proof).toMatchObject({ v: 1, chain: account.accountId });
      expect(got.text.startsWith(posted.text.slice(0, -1))).toBe(true);
      expect(recomputedHash(dataOf(posted.text), got.body.proof)).toBe(hash);
    }
  });

  test("of a batch each as it was returned", async () => {
    const body = `{"events":[${EVENTS.map(([, text]) => text).join()}]}`;
    const posted = await client.post("/v1/events/batch", body);
    expect(posted.status).toBe(201);
    const texts: string[] = [];
    for (const { id } of posted.body.data)
      texts.push(dataOf((await client.get(`/v1/events/${id}`)).text));
    expect(posted.text).toBe(`{"data":[${texts.join()}]}`);
  });
});

describe("404", () => {
  test("an event of another account, with the same words as one that does not exist", async () => {
    const { body } = await client.post("/v1/events", { action: "a" });
    const other = (await newClient(stack)).client;
    // That account has an event at the same place, so that only the id tells them apart.
    for (let n = 0; n < body.data.sequence_number; n += 1)
      await other.post("/v1/events", { action: "b" });
    const answer = await other.get(`/v1/events/${body.data.id}`);
    expect(answer.status).toBe(404);
    expect(answer.body.error.type).toBe("not_found");
    expect((await client.get(`/v1/events/${body.data.id}`)).status).toBe(200);
  });

  test.each([
    "evt_",
    "evt_1",
    "1",
    "key_1",
    "evt_zzzzzzzzzzzzzzzzzzzzzzzzzz",
    `evt_${"0".repeat(26)}`,
    `evt_${"0".repeat(12)}1${"0".repeat(13)}`,
    `evt_${"7".repeat(13)}${"0".repeat(13)}`,
    "EVT_00000000000010000000000000",
    "evt_%00",
    "%F0%9F%98%80",
    "evt_..",
    "x".repeat(1_900),
    "%ff",
    "null",
    "proof",
    "evt_0000000000001000000000000%0A",
    "'%20OR%201=1--",
    "__proto__",
  ])("%s", async (id) => {
    const { status, body } = await client.get(`/v1/events/${id}`);
    // A path that is no valid URL is refused as such.
    expect(status).toBe(id === "%ff" ? 422 : 404);
    expect(body.error.type).toBe(id === "%ff" ? "validation_error" : "not_found");
  });

  test("an id that differs in its last character", async () => {
    const { body } = await client.post("/v1/events", { action: "a" });
    const id: string = body.data.id;
    const other = id.slice(0, -1) + (id.endsWith("0") ? "1" : "0");
    expect((await client.get(`/v1/events/${other}`)).status).toBe(404);
    expect((await client.get(`/v1/events/${id.toUpperCase()}`)).status).toBe(404);
  });
});

describe("422", () => {
  test.each([
    ["include=proofs", "include"],
    ["include=", "include"],
    ["include=proof&include=proof", "include"],
    ["fields=id", "fields"],
  ])("%s", async (query, field) => {
    const { body: posted } = await client.post("/v1/events", { action: "a" });
    const { status, body } = await client.get(`/v1/events/${posted.data.id}?${query}`);
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe(field);
  });
});
