// Guarantee: the intersection of two filters selects an event if and only if both do.

import fc from "fast-check";
import { expect, test } from "vitest";
import { actionRange, type EventFilter } from "./event-filter.ts";
import { intersectFilters } from "./intersect-filters.ts";

interface Values {
  readonly action: string;
  readonly actorId: string;
  readonly occurredAt: string;
  readonly sequence: bigint;
}

/** As the statements of the store compare. */
function selects(filter: EventFilter, event: Values): boolean {
  const { exact, from, to } = actionRange(filter);
  return (
    (exact === null || event.action === exact) &&
    (from === null || event.action >= from) &&
    (to === null || event.action < to) &&
    (filter.actorId === undefined || filter.actorId === event.actorId) &&
    (filter.occurredFrom === undefined || event.occurredAt >= filter.occurredFrom) &&
    (filter.occurredTo === undefined || event.occurredAt < filter.occurredTo) &&
    (filter.afterSequence === undefined || event.sequence > filter.afterSequence) &&
    (filter.beforeSequence === undefined || event.sequence < filter.beforeSequence)
  );
}

const text = fc.constantFrom("", "a", "ab", "abc", "b", "ba");
const number = fc.bigInt({ min: 0n, max: 6n });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const filter = fc.record({
  action: maybe(text),
  actionIsPrefix: fc.boolean(),
  actorId: maybe(text),
  occurredFrom: maybe(text),
  occurredTo: maybe(text),
  afterSequence: maybe(number),
  beforeSequence: maybe(number),
});
const event = fc.record({ action: text, actorId: text, occurredAt: text, sequence: number });

test("it selects what both select, whichever comes first", () => {
  fc.assert(
    fc.property(filter, filter, event, (one, other, given) => {
      const isInBoth = selects(one, given) && selects(other, given);
      for (const both of [intersectFilters(one, other), intersectFilters(other, one)])
        expect(both !== undefined && selects(both, given)).toBe(isInBoth);
    }),
    { numRuns: 5_000 },
  );
});

test.each(["actorId", "actorType", "targetId", "targetType"] as const)("%s", (name) => {
  const of = (value?: string): EventFilter => ({ actionIsPrefix: false, [name]: value });
  expect(intersectFilters(of("a"), of("b"))).toBeUndefined();
  expect(intersectFilters(of("a"), of("a"))).toMatchObject({ [name]: "a" });
  expect(intersectFilters(of("a"), of())).toMatchObject({ [name]: "a" });
  expect(intersectFilters(of(), of(""))).toMatchObject({ [name]: "" });
});
