// Guarantee: nothing reaches the chain that the interface does not allow, from any caller. Each refusal
// names the member. Every bound holds at its exact edge, and the copies for filters are those of the parts.

import { atOnce, PIECE_BYTES } from "@annals/contract";
import { MAX_EVENT_BYTES, MAX_EVENT_DEPTH, MAX_EVENTS } from "@annals/event";
import { describe, expect, test } from "vitest";
import { checkAppend, type GivenAppend } from "./check-append.ts";

const TIME = "2026-01-31T09:30:00.000000Z";
const NONE = new Uint8Array();

/** The JSON text of each member. */
type Texts = Partial<Record<string, string>>;

/** An event of which the members are written as they are given, in canonical order. */
function eventOf(texts: Texts = {}): string {
  const members = Object.entries({ action: '"a"', occurred_at: `"${TIME}"`, ...texts });
  const written = members.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${written.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
}

const eventsOf = (...events: readonly string[]) => Buffer.from(`[${events.join(",")}]`);

const appendOf = (changes: Partial<GivenAppend> = {}): GivenAppend => ({
  accountId: "acct_1",
  receivedAt: TIME,
  idempotencyKey: "",
  requestSha256: NONE,
  eventsJson: eventsOf(eventOf()),
  ...changes,
});

const times = (count: number) => Array.from({ length: count }, () => eventOf());

function faultOf(given: GivenAppend): string | undefined {
  try {
    atOnce(checkAppend(given));
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ kind: "invalid" });
    return (error as { faults: { field: string }[] }).faults[0]?.field;
  }
}

const faultOfEvents = (...events: readonly string[]) =>
  faultOf(appendOf({ eventsJson: eventsOf(...events) }));

const faultOfEvent = (texts: Texts) => faultOfEvents(eventOf(), eventOf(texts));

const NO_TIMES = [
  "",
  "not a time",
  "2026-01-31",
  "2026-01-31T09:30:00.000000",
  "2026-02-29T09:30:00.000000Z",
  "2026-13-01T09:30:00.000000Z",
  "2026-01-31T24:00:00.000000Z",
  "2026-01-31T09:30:60.000000Z",
  " 2026-01-31T09:30:00.000000",
];

/** Times, each written in another way than the service writes it. */
const OTHER_FORMS = [
  "2026-01-31T09:30:00Z",
  "2026-01-31T09:30:00.000Z",
  "2026-01-31T09:30:00.0000000Z",
  "2026-01-31T09:30:00.000000z",
  "2026-01-31T10:30:00.000000+01:00",
  "2026-01-31T09:30:00,000000Z",
];

describe("of an append", () => {
  test.each([...NO_TIMES, ...OTHER_FORMS])("the time of receipt %j is refused", (receivedAt) => {
    expect(faultOf(appendOf({ receivedAt }))).toBe("received_at");
  });

  test.each<[string, Partial<GivenAppend>, string]>([
    ["no account", { accountId: "" }, "account_id"],
    ["an account with U+0000", { accountId: "a\0" }, "account_id"],
    ["a key of 256 characters", { idempotencyKey: "k".repeat(256) }, "idempotency_key"],
    ["a key with U+0000", { idempotencyKey: "\0" }, "idempotency_key"],
    ["a key without its digest", { idempotencyKey: "k" }, "request_sha256"],
    [
      "a digest of 31 bytes",
      { idempotencyKey: "k", requestSha256: new Uint8Array(31) },
      "request_sha256",
    ],
    [
      "a digest of 33 bytes",
      { idempotencyKey: "k", requestSha256: new Uint8Array(33) },
      "request_sha256",
    ],
    ["no event", { eventsJson: eventsOf() }, "events"],
    ["no JSON", { eventsJson: NONE }, "events"],
    ["no array", { eventsJson: Buffer.from(eventOf()) }, "events"],
    ["1,001 events", { eventsJson: eventsOf(...times(MAX_EVENTS + 1)) }, "events"],
  ])("%s is refused", (_what, changes, field) => {
    expect(faultOf(appendOf(changes))).toBe(field);
  });

  test("1,000 events, and a key of 255 characters with its digest, are taken", () => {
    const eventsJson = eventsOf(...times(MAX_EVENTS));
    const key = { idempotencyKey: "k".repeat(255), requestSha256: new Uint8Array(32) };
    expect(atOnce(checkAppend(appendOf({ eventsJson, ...key }))).events).toHaveLength(MAX_EVENTS);
  });
});

describe("of an event", () => {
  test.each(NO_TIMES)("the time %j is refused", (time) => {
    expect(faultOfEvent({ occurred_at: `"${time}"` })).toBe("events[1].occurred_at");
  });

  test.each(OTHER_FORMS)("the time %j is stored in the form of the service", (time) => {
    const eventsJson = eventsOf(eventOf({ occurred_at: `"${time}"` }));
    const [event] = atOnce(checkAppend(appendOf({ eventsJson }))).events;
    expect(event?.occurredAt).toBe(TIME);
  });

  test("an event without a time has that of the receipt", () => {
    const eventsJson = eventsOf('{"action":"a"}');
    const [event] = atOnce(checkAppend(appendOf({ eventsJson }))).events;
    expect(event?.occurredAt).toBe(TIME);
  });

  test.each([
    ["", undefined],
    ["a\0", undefined],
    ["\ud800", undefined],
    ["a".repeat(256), undefined],
    [`${"😀".repeat(255)}a`, undefined],
    ["a".repeat(255), true],
    ["😀".repeat(255), true],
  ])("an action counts its characters: %j", (action, isTaken) => {
    expect(faultOfEvent({ action: JSON.stringify(action) })).toBe(
      isTaken ? undefined : "events[1].action",
    );
  });

  test.each(["actor", "context", "diff", "metadata", "target"] as const)(
    "%s that is not the canonical text of an object is refused",
    (part) => {
      for (const text of [
        "{",
        "{]",
        "[]",
        "null",
        '"a"',
        "1",
        "{ }",
        '{"b":1,"a":1}',
        '{"a":1.0}',
      ]) {
        expect(faultOfEvent({ [part]: text })).toBe(`events[1].${part}`);
      }
      expect(faultOfEvent({ [part]: "{}" })).toBeUndefined();
    },
  );

  test.each([
    ["actor", '{"id":5}', "id"],
    ["actor", '{"id":null}', "id"],
    ["actor", '{"id":""}', "id"],
    ["actor", `{"id":"${"x".repeat(256)}"}`, "id"],
    ["actor", '{"type":{}}', "type"],
    ["actor", '{"meta":"x"}', "meta"],
    ["actor", '{"name":"x"}', "name"],
    ["actor", '{"constructor":"x"}', "constructor"],
    ["target", '{"id":[]}', "id"],
    ["target", '{"type":true}', "type"],
    ["target", '{"meta":[]}', "meta"],
    ["diff", '{"before":1}', "before"],
    ["diff", '{"after":[]}', "after"],
    ["diff", '{"id":"x"}', "id"],
  ] as const)("%s %s is refused", (part, text, member) => {
    expect(faultOfEvent({ [part]: text })).toBe(`events[1].${part}.${member}`);
  });

  test.each<[string, string]>([
    ["[]", ""],
    ["null", ""],
    ["{}", ".action"],
    ['{"actor":{}}', ".action"],
    ['{"action":5}', ".action"],
    ['{"action":"a","id":"x"}', ".id"],
    ['{"action":"a","actor_id":"x"}', ".actor_id"],
    ['{"action":"a","constructor":{}}', ".constructor"],
    ['{"action":"a","occurred_at":5}', ".occurred_at"],
    ['{"action":"a","type":"a"}', ".type"],
    ['{"action":"a","action":"a"}', ".action"],
    [String.raw`{"action":"\u0061"}`, ".action"],
    [String.raw`{"action":"\/"}`, ".action"],
    ['{"actor":{},"action":"a"}', ""],
    ['{"action": "a"}', ""],
    [' {"action":"a"}', ""],
    ['{"action":"a"} ', ""],
  ])("an event %s is refused", (event, member) => {
    expect(faultOfEvents(eventOf(), event, eventOf())).toBe(`events[1]${member}`);
  });

  test("what is behind the array, and bytes that are not UTF-8, are refused", () => {
    for (const end of [" ", "]", "\0"]) {
      const eventsJson = Buffer.concat([eventsOf(eventOf()), Buffer.from(end)]);
      expect(faultOf(appendOf({ eventsJson }))).toMatch(/^events/);
    }
    const broken = eventsOf(eventOf({ metadata: '{"a":"é"}' }));
    broken[broken.indexOf(0xa9)] = 0x22;
    expect(faultOf(appendOf({ eventsJson: broken }))).toBe("events[0].metadata");
  });

  test("the copies for filters are the ids and types of its parts", () => {
    const actor = String.raw`{"id":"u_\"1\"","meta":{"id":"no"},"type":"user"}`;
    const target = `{"id":"${"é".repeat(255)}"}`;
    const eventsJson = eventsOf(eventOf({ actor, target }));
    const [event] = atOnce(checkAppend(appendOf({ eventsJson }))).events;
    expect(event).toMatchObject({
      actorId: 'u_"1"',
      actorType: "user",
      targetId: "é".repeat(255),
      targetType: undefined,
    });
  });

  test("depth and bytes hold at their edges", () => {
    const nested = (levels: number) => '{"a":'.repeat(levels - 1) + "{}" + "}".repeat(levels - 1);
    expect(faultOfEvent({ context: nested(MAX_EVENT_DEPTH - 1) })).toBeUndefined();
    expect(faultOfEvent({ context: nested(MAX_EVENT_DEPTH) })).toBe("events[1].context");
    const overhead = '{"a":""}'.length + 4 * "{}".length + "a".length;
    const sized = (bytes: number) => `{"a":"${"x".repeat(bytes - overhead)}"}`;
    expect(faultOfEvent({ metadata: sized(MAX_EVENT_BYTES) })).toBeUndefined();
    expect(faultOfEvent({ metadata: sized(MAX_EVENT_BYTES + 1) })).toBe("events[1]");
  });

  test("bytes hold at their edge also for an event that is not plain", () => {
    const overhead = '{"a":1e-7,"b":""}'.length + 4 * "{}".length + "a".length;
    const sized = (bytes: number) => `{"a":1e-7,"b":"${"x".repeat(bytes - overhead)}"}`;
    expect(faultOfEvent({ metadata: sized(MAX_EVENT_BYTES) })).toBeUndefined();
    for (const bytes of [MAX_EVENT_BYTES + 1, MAX_EVENT_BYTES + 4_096, 3 * MAX_EVENT_BYTES])
      expect(faultOfEvent({ metadata: sized(bytes) })).toBe("events[1]");
  });
});

describe("work on events that are not plain", () => {
  /** Pieces of work; the append may be refused. */
  const piecesOf = (metadata: object) => {
    const eventsJson = eventsOf(eventOf({ metadata: JSON.stringify(metadata) }));
    const work = checkAppend(appendOf({ eventsJson }));
    let pieces = 0;
    try {
      for (const _ of work) pieces += 1;
    } catch (error) {
      expect(error).toMatchObject({ kind: "invalid" });
    }
    return pieces;
  };
  const text = (bytes: number) => ({ a: 1e-7, b: "x".repeat(bytes) });

  test("is done in pieces: each is read, and each is written", () => {
    const bytes = MAX_EVENT_BYTES - 1_024;
    expect(piecesOf(text(bytes))).toBeGreaterThanOrEqual((2 * bytes) / PIECE_BYTES);
    const names = Array.from({ length: 30_000 }, (_, n) => [`n${n + 100_000}`, 1e-7]);
    const many = JSON.stringify(Object.fromEntries(names)).length;
    expect(piecesOf(Object.fromEntries(names))).toBeGreaterThanOrEqual((2 * many) / PIECE_BYTES);
  });

  test("ends before one is written that is too large", () => {
    const bytes = 3 * MAX_EVENT_BYTES;
    expect(piecesOf(text(bytes))).toBeLessThan((1.1 * bytes) / PIECE_BYTES);
  });
});
