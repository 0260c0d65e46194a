// Guarantee: the one pass over an event's bytes keeps each limit exactly, as the strict reader counts it for
// the same bytes, and takes no other body around the events than that of a batch.

import { expect, test } from "vitest";
import { isPlain, LIMITS, written } from "../testing/compare-with-strict.ts";
import type { Form } from "../testing/strict-events.ts";

const events = (count: number) => Array.from({ length: count }, () => '{"action":"a"}').join();

test("1 to 1,000 events", () => {
  for (const [count, isTaken] of [
    [0, false],
    [1, true],
    [1_000, true],
    [1_001, false],
  ] as const) {
    expect(isPlain(`{"events":[${events(count)}]}`, "batch")).toBe(isTaken);
    expect(isPlain(`[${events(count)}]`, "array")).toBe(isTaken);
  }
  expect(isPlain('{"action":"a"}', "event", { ...LIMITS, maxEvents: 1 })).toBe(true);
});

test("the one member of a batch", () => {
  for (const [body, isTaken] of [
    [' { "events" : [ {"action":"a"} ] } ', true],
    ['{"events":[{"action":"a"}],"events":[]}', false],
    ['{"events":[{"action":"a"}],"more":1}', false],
    ['{"event":[{"action":"a"}]}', false],
    ['{"eventss":[{"action":"a"}]}', false],
    ['{"events":{"action":"a"}}', false],
    ['{"events":[{"action":"a"},]}', false],
    ['{"events":[{"action":"a"}', false],
    ['{"events":[{"action":"a"}]', false],
    ['{"events":[7]}', false],
    ['{"events":[null]}', false],
    ["{}", false],
    ['[{"action":"a"}]', false],
  ] as const)
    expect(isPlain(body, "batch"), body).toBe(isTaken);
});

/** Bodies of so many levels, in objects and in arrays, each as the last of its event and not. */
const deep = (levels: number): [Form, string][] => {
  const inner = levels - 2;
  return [
    `${'{"a":'.repeat(inner)}{}${"}".repeat(inner)}`,
    `${"[".repeat(inner + 1)}${"]".repeat(inner + 1)}`,
  ]
    .map((value) => `{"action":"a","metadata":{"x":1,"m":${value}}}`)
    .flatMap((event): [Form, string][] => [
      ["event", event],
      ["batch", `{"events":[{"action":"b"},${event}]}`],
    ]);
};

test("the depth, exactly, of objects and arrays", () => {
  const around = { event: 0, batch: 2, array: 1 };
  for (const levels of [2, 3, 32]) {
    for (const [form, body] of deep(levels)) {
      const maxDepth = levels + 1 + around[form];
      expect(isPlain(body, form, { ...LIMITS, maxDepth }), body).toBe(true);
      expect(isPlain(body, form, { ...LIMITS, maxDepth: maxDepth - 1 }), body).toBe(false);
    }
  }
  // The object around the events, their array, an event and a part without members are levels, too.
  const part = '{"action":"a","actor":{}}';
  for (const [form, body] of [
    ["event", part],
    ["batch", `{"events":[${part}]}`],
    ["array", `[${part}]`],
  ] as const) {
    for (let maxDepth = 0; maxDepth < 6; maxDepth += 1) {
      const isTaken = maxDepth >= 2 + around[form];
      expect(isPlain(body, form, { ...LIMITS, maxDepth })).toBe(isTaken);
    }
  }
});

test("the members and elements, exactly", () => {
  const event =
    '{"action":"a","actor":{"id":"i","meta":{"b":[1,[2],{}],"a":null}},"context":{"x":{}}}';
  // action, actor, id, meta, b, 1, [2], 2, {}, a, context, x.
  const own = 12;
  for (const [form, body, values] of [
    ["event", event, own],
    ["batch", `{"events":[${event},${event}]}`, 3 + 2 * own],
    ["array", `[${written(event)?.slice(1, -1)}]`, 1 + own],
  ] as const) {
    for (let maxValues = 0; maxValues < values; maxValues += 1)
      expect(isPlain(body, form, { ...LIMITS, maxValues })).toBe(false);
    expect(isPlain(body, form, { ...LIMITS, maxValues: values })).toBe(true);
  }
});
