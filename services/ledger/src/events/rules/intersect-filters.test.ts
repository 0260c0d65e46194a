// Guarantee: the intersection of two filters selects an event if and only if both do, and has no more values
// than both.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventFilter } from "../../search/rules/event-filter.ts";
import { intersectFilters } from "./intersect-filters.ts";

interface Values {
  readonly action: string;
  readonly actorId: string;
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly sequence: bigint;
}

/** As the statements of the store compare. */
function selects(filter: EventFilter, event: Values): boolean {
  const { actionPrefixes = [], actions = [], actorIds = [] } = filter;
  return (
    (actions.length + actionPrefixes.length === 0 ||
      actions.includes(event.action) ||
      actionPrefixes.some((prefix) => event.action.startsWith(prefix))) &&
    (actorIds.length === 0 || actorIds.includes(event.actorId)) &&
    (filter.occurredFrom === undefined || event.occurredAt >= filter.occurredFrom) &&
    (filter.occurredTo === undefined || event.occurredAt < filter.occurredTo) &&
    (filter.receivedFrom === undefined || event.receivedAt >= filter.receivedFrom) &&
    (filter.receivedTo === undefined || event.receivedAt < filter.receivedTo) &&
    (filter.afterSequence === undefined || event.sequence > filter.afterSequence) &&
    (filter.beforeSequence === undefined || event.sequence < filter.beforeSequence)
  );
}

const text = fc.constantFrom("", "a", "ab", "abc", "b", "ba");
const texts = fc.oneof(fc.constant([]), fc.array(text, { maxLength: 3 }));
const number = fc.bigInt({ min: 0n, max: 6n });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const filter = fc.record({
  actions: texts,
  actionPrefixes: texts,
  actorIds: texts,
  occurredFrom: maybe(text),
  occurredTo: maybe(text),
  receivedFrom: maybe(text),
  receivedTo: maybe(text),
  afterSequence: maybe(number),
  beforeSequence: maybe(number),
});
const event = fc.record({
  action: text,
  actorId: text,
  occurredAt: text,
  receivedAt: text,
  sequence: number,
});

const valuesOf = ({ actionPrefixes = [], actions = [], actorIds = [] }: EventFilter): number =>
  actions.length + actionPrefixes.length + actorIds.length;

test("it selects what both select, whichever comes first", () => {
  fc.assert(
    fc.property(filter, filter, event, (one, other, given) => {
      const isInBoth = selects(one, given) && selects(other, given);
      for (const both of [intersectFilters(one, other), intersectFilters(other, one)]) {
        expect(both !== undefined && selects(both, given)).toBe(isInBoth);
        expect(valuesOf(both ?? {})).toBeLessThanOrEqual(valuesOf(one) + valuesOf(other));
      }
    }),
  );
});

const outcomes = (...values: string[]) => ({
  name: "outcome",
  path: ["metadata", "outcome"],
  type: "string",
  ignoreCase: false,
  values,
});

test("what an event has to have in its parts is both: it can have several values", () => {
  const [one, other] = [outcomes("x"), outcomes("y")];
  expect(intersectFilters({ fields: [one] }, { fields: [other] })?.fields).toEqual([one, other]);
  expect(intersectFilters({ fields: [one] }, {})?.fields).toEqual([one]);
});

test("what either leaves out is left out, each value once", () => {
  const [one, other] = [
    { actions: ["a"], fields: [outcomes("x", "y")] },
    { actionPrefixes: ["b"], fields: [outcomes("z")], targetTypes: ["t"] },
  ];
  const both = { ...one, ...other, fields: [outcomes("x", "y"), outcomes("z")] };
  expect(intersectFilters({ not: one }, { not: other })?.not).toMatchObject(both);
  expect(intersectFilters({ not: one }, {})?.not).toMatchObject(one);
  expect(intersectFilters({}, { not: other })?.not).toMatchObject(other);
});

test.each(["actorIds", "actorTypes", "targetIds", "targetTypes"] as const)("%s", (name) => {
  const of = (...values: string[]): EventFilter => ({ [name]: values });
  expect(intersectFilters(of("a"), of("b"))).toBeUndefined();
  expect(intersectFilters(of("a"), of("a"))).toMatchObject({ [name]: ["a"] });
  expect(intersectFilters(of("a", "b"), of("b", "c", "a"))).toMatchObject({ [name]: ["a", "b"] });
  expect(intersectFilters(of("a"), of())).toMatchObject({ [name]: ["a"] });
  expect(intersectFilters(of(), of(""))).toMatchObject({ [name]: [""] });
});
