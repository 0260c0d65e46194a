// Guarantee: a record has the form that the vectors of evidence and the functions of the database fix, and
// no member beyond it.

import { expect, test } from "vitest";
import { numberRanges } from "../../events/rules/number-ranges.ts";
import {
  clockRecord,
  erasureRecord,
  holdRecord,
  type RecordEvent,
  retentionRecord,
} from "./record-events.ts";

const KEY = { type: "api_key", id: "key_1" } as const;

const textsOf = ({ action, actor, metadata, target, ...event }: RecordEvent) => ({
  action,
  actor: String(actor),
  metadata: String(metadata),
  target: String(target),
  copies: [event.actorId, event.actorType, event.targetId, event.targetType],
});

test("an erasure names its parts and the numbers of its events", () => {
  const erasure = { id: "era_1", parts: ["actor", "context"], sequenceNumbers: [1, 2, 3, 9] };
  expect(textsOf(erasureRecord(KEY, erasure as Parameters<typeof erasureRecord>[1]))).toEqual({
    action: "annals.erasure",
    actor: '{"id":"key_1","type":"api_key"}',
    metadata: '{"erasure":"era_1","parts":["actor","context"],"sequence_numbers":"1-3,9"}',
    target: '{"id":"era_1","type":"erasure"}',
    copies: ["key_1", "api_key", "era_1", "erasure"],
  });
  const referenced = {
    id: "e",
    parts: ["diff"],
    sequenceNumbers: [4],
    reference: "case 7",
  } as const;
  expect(String(erasureRecord({ type: "operator" }, referenced).metadata)).toBe(
    '{"erasure":"e","parts":["diff"],"reference":"case 7","sequence_numbers":"4"}',
  );
});

test("a hold names its range, and whether it is of one actor, but not of which", () => {
  const hold = { id: "hold_1", state: "placed", fromSequence: 4, isOfOneActor: true } as const;
  expect(textsOf(holdRecord({ type: "operator" }, hold))).toEqual({
    action: "annals.hold",
    actor: '{"type":"operator"}',
    metadata: '{"from_sequence":4,"hold":"hold_1","of_one_actor":true,"state":"placed"}',
    target: '{"id":"hold_1","type":"hold"}',
    copies: [undefined, "operator", "hold_1", "hold"],
  });
  expect(String(holdRecord(KEY, { ...hold, toSequence: 9 }).metadata)).toContain('"to_sequence":9');
});

test("retention names the last event that it deletes", () => {
  expect(textsOf(retentionRecord(4_096))).toEqual({
    action: "annals.retention",
    actor: '{"id":"ledger","type":"service"}',
    metadata: '{"through_sequence":4096}',
    target: "{}",
    copies: ["ledger", "service", undefined, undefined],
  });
});

test("a step of the clock names both times, to the microsecond", () => {
  const step = {
    headTime: "2026-05-04T12:00:00.000001Z",
    replicaTime: "2026-05-03T11:59:59.500000Z",
  };
  expect(textsOf(clockRecord(step))).toEqual({
    action: "annals.clock",
    actor: '{"id":"ledger","type":"service"}',
    metadata:
      '{"difference_us":86400500001,"head_time":"2026-05-04T12:00:00.000001Z","replica_time":"2026-05-03T11:59:59.500000Z"}',
    target: "{}",
    copies: ["ledger", "service", undefined, undefined],
  });
});

test.for<[number[], string]>([
  [[], ""],
  [[7], "7"],
  [[17, 20, 21, 22], "17,20-22"],
  [[1, 2, 4, 5, 9], "1-2,4-5,9"],
])("%j is %s", ([numbers, text]) => {
  expect(numberRanges(numbers)).toBe(text);
});

test.for([[[2, 1]], [[3, 3]]])("numbers that are not ascending have no text: %j", ([numbers]) => {
  expect(() => numberRanges(numbers as number[])).toThrow(RangeError);
});
