// Guarantee: the first erased part without a later record, and the number of all of them, are those of a
// check of each part of each event by itself, in whichever order the events come. A record names the parts of
// its events and of no other.

import fc from "fast-check";
import { expect, test } from "vitest";
import { ERASURE, Erasures, recordedParts, RETENTION } from "./erasures.ts";
import { type Part, PARTS } from "./event-members.ts";

const EVENTS = 30;
const number = fc.integer({ min: 1, max: EVENTS });
const parts = fc.subarray([...PARTS]);
const ranges = fc
  .uniqueArray(number, { maxLength: 6 })
  .map((all) => all.toSorted((a, b) => a - b))
  .map((all) =>
    Array.from({ length: Math.floor(all.length / 2) }, (_, at) => all.slice(2 * at, 2 * at + 2)),
  );
const erasure = fc.record({ parts: fc.subarray([...PARTS], { minLength: 1 }), ranges });
const event = fc.record({
  isThere: fc.boolean(),
  erased: fc.oneof(fc.constant<Part[]>([]), parts),
  erasure: fc.option(erasure, { nil: undefined, freq: 4 }),
  through: fc.option(number, { nil: undefined, freq: 10 }),
});

test("any erased parts and records of a chain, with and without gaps", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: EVENTS }), fc.boolean(), (chain, isDescending) => {
      const erasures = new Erasures();
      const events = chain.flatMap((each, at) => (each.isThere ? [{ ...each, at: at + 1 }] : []));
      for (const one of isDescending ? events.toReversed() : events) {
        const { at, erased, erasure: own, through } = one;
        const sequence_numbers = own?.ranges.map(([from, to]) => `${from}-${to}`).join(",");
        const record =
          own && own.ranges.length > 0
            ? {
                action: ERASURE,
                metadata: { parts: own.parts, sequence_numbers: sequence_numbers ?? "" },
              }
            : through && { action: RETENTION, metadata: { through_sequence: through } };
        erasures.take({ sequenceNumber: at, erased, ...(record && { record }) });
      }
      const isNamed = (at: number, part: (typeof PARTS)[number]) =>
        events.some(
          (each) =>
            each.at > at &&
            (each.erasure && each.erasure.ranges.length > 0
              ? each.erasure.parts.includes(part) &&
                each.erasure.ranges.some(([from = 0, to = 0]) => from <= at && at <= to)
              : at <= (each.through ?? 0)),
        );
      const missing = PARTS.flatMap((part) =>
        events
          .filter(({ at, erased }) => erased.includes(part) && !isNamed(at, part))
          .map(({ at }) => ({ sequenceNumber: at, part })),
      );
      expect(erasures.unrecordedParts).toBe(missing.length);
      expect(erasures.unrecorded).toEqual(missing[0]);
      expect(erasures.erasedParts).toBe(events.reduce((sum, { erased }) => sum + erased.length, 0));
    }),
  );
});

test.each([
  [2, ["actor"]],
  [3, []],
  [4, ["actor"]],
  [6, ["actor"]],
  [7, []],
])("of event %i a record names %j", (at, named) => {
  const metadata = { parts: ["actor"], sequence_numbers: "2,4-6" };
  expect(recordedParts({ action: ERASURE, metadata }, at)).toEqual(named);
  expect(recordedParts({ action: "erased", metadata }, at)).toEqual([]);
  expect(recordedParts({ action: ERASURE }, at)).toEqual([]);
});
