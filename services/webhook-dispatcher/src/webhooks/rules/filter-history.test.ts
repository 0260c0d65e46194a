// Guarantee: each event is judged by the filter that was set when it was stored, however often the filter
// changes and wherever the cursor is, through the columns that keep it.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  changedFilter,
  columnsOf,
  filterAt,
  type FilterHistory,
  historyOf,
  withoutErasedValues,
} from "./filter-history.ts";
import type { WebhookFilter } from "./webhook-filter.ts";

const BEGIN: FilterHistory = [{ after: 0n, filter: null }];
const named = (name: string): WebhookFilter => ({ action: [name] });

const step = fc.record({
  stored: fc.integer({ min: 0, max: 3 }),
  queued: fc.integer({ min: 0, max: 4 }),
  isRemoved: fc.boolean(),
});

test("events that are not queued yet keep the filter of their time", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
      /** The filter of each event, from number 1, as it was when the event was stored. */
      const model: (WebhookFilter | null)[] = [];
      let history = BEGIN;
      let current: WebhookFilter | null = null;
      let cursor = 0;
      for (const [index, { isRemoved, queued, stored }] of steps.entries()) {
        for (let n = 0; n < stored; n++) model.push(current);
        cursor = Math.min(model.length, cursor + queued);
        current = isRemoved ? null : named(`f${index}`);
        const places = { cursor: BigInt(cursor), head: BigInt(model.length) };
        history = historyOf(columnsOf(changedFilter(history, current, places)));
        const judged = model.map((_, at) => filterAt(history, BigInt(at + 1)));
        expect(judged.slice(cursor)).toEqual(model.slice(cursor));
        expect(filterAt(history, BigInt(model.length + 1))).toEqual(current);
      }
    }),
  );
});

test("without events to be queued, only the last filter is kept", () => {
  const once = changedFilter(BEGIN, named("a"), { cursor: 5n, head: 5n });
  expect(once).toEqual([{ after: 5n, filter: named("a") }]);
  const twice = changedFilter(once, named("b"), { cursor: 4n, head: 5n });
  expect(twice).toEqual([{ after: 5n, filter: named("b") }]);
});

test("a change that has read an older head follows the one before it", () => {
  const history = changedFilter(BEGIN, named("a"), { cursor: 0n, head: 9n });
  const next = changedFilter(history, named("b"), { cursor: 0n, head: 7n });
  expect(filterAt(next, 9n)).toBeNull();
  expect(filterAt(next, 10n)).toEqual(named("b"));
});

describe("bounds", () => {
  const changes = (count: number): FilterHistory => {
    let history = BEGIN;
    for (let n = 1; n <= count; n++)
      history = changedFilter(history, named(`f${n}`), { cursor: 0n, head: BigInt(n) });
    return history;
  };

  test("ten earlier filters are kept, and an eleventh is refused until events are queued", () => {
    const full = changes(10);
    expect(full).toHaveLength(11);
    const places = { cursor: 0n, head: 11n };
    expect(() => changedFilter(full, null, places)).toThrow("The filter was changed too often");
    expect(changedFilter(full, null, { ...places, cursor: 1n })).toHaveLength(11);
  });
});

test("an erasure clears earlier filters, too", () => {
  const ada = { actor_id: ["ada"] };
  const history = changedFilter([{ after: 0n, filter: ada }], null, { cursor: 0n, head: 3n });
  const left = withoutErasedValues(history, { actorId: "ada" });
  expect(left?.history.map(({ filter }) => filter)).toEqual([{ actor_id: [] }, null]);
  expect(left?.excludesLess).toBe(false);
  expect(withoutErasedValues(history, { actorId: "bob" })).toBeUndefined();
});
