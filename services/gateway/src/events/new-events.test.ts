// Guarantees: what the schema does not check is checked of every event, at its exact edge, whether its body
// is plain or not: actions of the service itself, times, sizes. A plain body with a fault is left to the
// strict reader; of any other the fault names the member as the client wrote it. Reading yields within large
// bodies.

import { PIECE_BYTES, type Work } from "@annals/contract";
import { type JsonObject, readJson } from "@annals/event";
import { describe, expect, test } from "vitest";
import { plainEvents, writtenEvents } from "./new-events.ts";
import type { NewEvent } from "./new-event.ts";

const LIMITS = { maxDepth: 20, maxValues: 10_000 };
const MAX_BYTES = 1_000;

function finished<T>(work: Work<T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done === true) return piece.value;
  }
}

const plain = (body: string) =>
  finished(plainEvents("batch", MAX_BYTES)(Buffer.from(body), LIMITS));

function written(body: string) {
  const { events } = readJson(Buffer.from(body), LIMITS) as { events: JsonObject[] };
  const given = events.map((event) => ({ ...event, action: event["action"] ?? event["type"] }));
  const path = (index: number) => `events[${index}].`;
  return finished(writtenEvents(given as NewEvent[], { maxBytes: MAX_BYTES, path }));
}

const batchOf = (event: string) => `{"events":[{"action":"a"},${event}]}`;

/** An event of so many bytes in canonical form. */
const sized = (bytes: number, action = "a") => {
  const others = `${JSON.parse(`"${action}"`)}{}{}{}{}{"m":""}`.length;
  return `{"action":"${action}","metadata":{"m":"${"x".repeat(bytes - others)}"}}`;
};

describe("a fault", () => {
  test.each([
    ["a reserved action", '{"action":"annals.key.created"}', "events[1].action"],
    ["a reserved type", '{"type":"annals.key.created"}', "events[1].type"],
    ["one in capitals", '{"action":"ANNALS.x"}', "events[1].action"],
    ["one in wide letters", '{"action":"ａnnals.x"}', "events[1].action"],
    ["one after what is not shown", '{"action":"\u200bannals.x"}', "events[1].action"],
    ["one behind an escape", String.raw`{"action":"\tannals.x"}`, "events[1].action"],
    ["text that is not a time", '{"action":"a","occurred_at":"now"}', "events[1].occurred_at"],
    ["an empty time", '{"action":"a","occurred_at":""}', "events[1].occurred_at"],
    [
      "a time with an escape",
      String.raw`{"action":"a","occurred_at":"2026-01-31T09:30:00Z\n"}`,
      "events[1].occurred_at",
    ],
    ["a byte too many", sized(MAX_BYTES + 1), "events[1]"],
    ["a byte too many behind an escape", sized(MAX_BYTES + 1, String.raw`\"`), "events[1]"],
  ])("%s is left to the strict reader, and then named", (_what, event, field) => {
    expect(plain(batchOf(event))).toBeUndefined();
    expect(() => written(batchOf(event))).toThrow(
      expect.objectContaining({ kind: "invalid", faults: [expect.objectContaining({ field })] }),
    );
  });
});

test.each([
  ["as many bytes as allowed", sized(MAX_BYTES)],
  ["as many, with an escape in the action", sized(MAX_BYTES, String.raw`\"`)],
  ["an action that only looks like one", '{"action":"annals_x"}'],
  ["one that begins with a capital", '{"action":"Annal.x"}'],
  ["a type", '{"type":"b"}'],
  ["a time with an offset", '{"action":"a","occurred_at":"2026-01-31T10:30:00+01:00"}'],
])("%s is taken, and reads the same plain and written", (_what, event) => {
  const [one, other] = [plain(batchOf(event)), written(batchOf(event))];
  expect(Buffer.from(one!.bytes).toString()).toBe(Buffer.from(other.bytes).toString());
  expect(one!.occurredAts).toEqual(other.occurredAts);
  expect([...one!.places]).toEqual([...other.places]);
});

test("a large batch is read, checked and written in pieces", () => {
  const events = Array.from({ length: 900 }, () => sized(MAX_BYTES));
  const body = `{"events":[${events.join(",")}]}`;
  const pieces = (work: Work<unknown>) => Array.from(work).length;
  const least = Math.floor(body.length / (2 * PIECE_BYTES));
  expect(pieces(plainEvents("batch", MAX_BYTES)(Buffer.from(body), LIMITS))).toBeGreaterThan(least);
  const given = (JSON.parse(body) as { events: NewEvent[] }).events;
  const work = writtenEvents(given, { maxBytes: MAX_BYTES, path: () => "" });
  expect(pieces(work)).toBeGreaterThan(least);
});

test("an event of many values is not read in one piece, and one of megabytes is not written", () => {
  const many = `{"action":"a","metadata":{"a":[${Array.from({ length: 9_000 }, () => "[]").join()}]}}`;
  const limits = { ...LIMITS, maxValues: 20_000 };
  expect(
    finished(plainEvents("batch", MAX_BYTES)(Buffer.from(`{"events":[${many}]}`), limits)),
  ).toBe(undefined);
  const far = [{ action: "a" }, { action: "a", metadata: { a: "x".repeat(4 * MAX_BYTES + 1) } }];
  expect(() =>
    finished(writtenEvents(far, { maxBytes: MAX_BYTES, path: (index) => `events[${index}].` })),
  ).toThrow(
    expect.objectContaining({
      faults: [
        expect.objectContaining({
          field: "events[1]",
          message: `is more than ${4 * MAX_BYTES} bytes in canonical form; at most ${MAX_BYTES} are allowed`,
        }),
      ],
    }),
  );
});
