// Guarantee: a webhook's filter selects an event exactly if one of the lists would, whose filters have one of
// the values of each member. An erased value is never matched.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type EventValues,
  FILTER_MEMBERS,
  type FilterValues,
  keyOf,
  placesOf,
  selectorOf,
  valuesOf,
  type WebhookFilter,
} from "./webhook-filter.ts";
import { excludesLess, withoutErased } from "./without-erased.ts";

/** Few texts, so that they meet: also beginnings of others, of several bytes and beyond the first plane. */
const TEXTS = [
  "user",
  "user.",
  "user.deleted",
  "user.delete",
  "usér",
  "u\u{1F600}",
  "u\uffff",
  "u",
  "*",
  "a*b",
];
const text = fc.constantFrom(...TEXTS);
const pattern = fc.oneof(
  text,
  text.map((one) => `${one}*`),
  fc.constant("*"),
);
const PLACES = {
  outcome: { path: ["metadata", "outcome"], type: "string", ignore_case: false },
  tag: { path: ["context", "tags"], type: "string", ignore_case: false },
  kind: { path: ["diff", "after", 'a"b'], type: "string", ignore_case: false },
} as const;
const list = (value: fc.Arbitrary<string>) => fc.array(value, { minLength: 1, maxLength: 10 });
const field = (name: "kind" | "tag") =>
  list(pattern).map((values) => ({ ...PLACES[name], values }));
const values = fc.record(
  {
    ...Object.fromEntries(
      FILTER_MEMBERS.map((member) => [member, list(member === "action" ? pattern : text)]),
    ),
    outcome: list(pattern),
    fields: fc.record({ tag: field("tag"), kind: field("kind") }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<FilterValues>;
const filters: fc.Arbitrary<WebhookFilter> = fc
  .tuple(values, fc.option(values, { nil: undefined }))
  .map(([own, not]) => (not ? { ...own, not } : own));
const party = fc.record(
  { id: text, type: text, meta: fc.constant({ id: "u" }) },
  { requiredKeys: [] },
);
const parts = fc.record({
  outcome: fc.array(text, { maxLength: 1 }),
  tag: fc.uniqueArray(text, { maxLength: 4 }),
  kind: fc.uniqueArray(text, { maxLength: 2 }),
});
const events = fc.record({ action: text, actor: party, target: party, parts });

type Event = typeof events extends fc.Arbitrary<infer Of> ? Of : never;

/** By code points, as docs/interface.md has it. */
function isMatched(value: string, own: string): boolean {
  const points = Array.from(value);
  if (points.at(-1) !== "*") return own === value;
  const beginning = Array.from(own).slice(0, points.length - 1);
  return beginning.join("") === points.slice(0, -1).join("");
}

/** What each member says of an event, by what docs/interface.md says of the filters of lists. */
function saidBy(given: FilterValues, { action, actor, parts: of, target }: Event): boolean[] {
  const columns: Readonly<Record<string, string | undefined>> = {
    actor_id: actor.id,
    actor_type: actor.type,
    target_id: target.id,
    target_type: target.type,
  };
  const hasOne = (own: readonly string[], patterns: readonly string[]) =>
    own.some((one) => patterns.some((each) => isMatched(each, one)));
  const { fields = {}, outcome, action: actions, ...ids } = given;
  return [
    ...(actions ? [hasOne([action], actions)] : []),
    ...Object.entries(ids).map(([member, all]) => all.some((one) => columns[member] === one)),
    ...(outcome ? [hasOne(of.outcome, outcome)] : []),
    ...Object.entries(fields).map(([name, asked]) =>
      hasOne(of[name as "kind" | "tag"], asked.values),
    ),
  ];
}

/** As the ledger has it. */
function measured({ parts: of, ...event }: Event): EventValues {
  const byBytes = (one: string, other: string) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other));
  const fields = (["outcome", "tag", "kind"] as const).map(
    (name) => [keyOf(PLACES[name]), of[name].toSorted(byBytes)] as const,
  );
  return { ...valuesOf(JSON.stringify(event)), fields: new Map(fields) };
}

test("it selects what a list with the same filters has", () => {
  const outcomes = { true: 0, false: 0 };
  fc.assert(
    fc.property(filters, events, ({ not = {}, ...own }, event) => {
      const isListed =
        saidBy(own, event).every((isSo) => isSo) && !saidBy(not, event).some((isSo) => isSo);
      outcomes[String(isListed) as "false" | "true"] += 1;
      expect(selectorOf({ ...own, not })(measured(event))).toBe(isListed);
    }),
    { numRuns: 1_000 },
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(0);
});

test("it reads each field once, and none without one", () => {
  const tag = { ...PLACES.tag, values: ["a"] };
  const other = { ...tag, values: ["b"] };
  const filter = { outcome: ["a"], fields: { tag }, not: { outcome: ["b"], fields: { other } } };
  expect(placesOf([filter, filter])).toEqual([PLACES.outcome, PLACES.tag]);
  expect(placesOf([{ action: ["a"], not: { action: ["b"] } }])).toEqual([]);
  const isSelected = selectorOf(filter);
  expect(() => isSelected({ action: "a" })).toThrow("a field of a filter was not asked for");
});

const isSelected = (filter: WebhookFilter, event: EventValues) => selectorOf(filter)(event);

describe("an erasure", () => {
  const event = (actor: object) => valuesOf(JSON.stringify({ action: "a", actor, target: {} }));

  test("of the actor of an event: no filter for an actor matches it", () => {
    expect(isSelected({ actor_id: ["ada"] }, event({ id: "ada" }))).toBe(true);
    expect(isSelected({ actor_id: ["ada"] }, event({}))).toBe(false);
    expect(isSelected({ action: ["a"] }, event({}))).toBe(true);
  });

  test("takes its value out of a filter, and an empty member matches nothing", () => {
    const filter = { actor_id: ["ada", "bob"], actor_type: ["ada"], target_id: ["ada"] };
    expect(withoutErased(filter, { actorId: "ada" })).toEqual({ ...filter, actor_id: ["bob"] });
    expect(withoutErased(filter, { targetId: "ada" })).toEqual({ ...filter, target_id: [] });
    expect(withoutErased(filter, { actorId: "eve", targetId: "bob" })).toBe(filter);
    expect(isSelected({ actor_id: [] }, event({ id: "ada" }))).toBe(false);
    expect(isSelected({ actor_id: [] }, event({}))).toBe(false);
  });

  test("of a value of a field: a field without values matches nothing", () => {
    const asked = (...of: string[]) => ({ fields: { tag: { ...PLACES.tag, values: of } } });
    expect(withoutErased(asked("ada", "b"), { targetId: "ada" })).toEqual(asked("b"));
    const left = withoutErased(asked("ada"), { actorId: "ada" });
    expect(left).toEqual(asked());
    const fields = new Map([[keyOf(PLACES.tag), ["ada"]]]);
    expect(left && isSelected(left, { action: "a", fields })).toBe(false);
  });

  test.each<[WebhookFilter, WebhookFilter | null]>([
    [
      { action: ["a"], not: { actor_id: ["ada", "bob"] } },
      { action: ["a"], not: { actor_id: ["bob"] } },
    ],
    [{ action: ["a"], not: { actor_id: ["ada"] } }, { action: ["a"] }],
    [{ not: { actor_id: ["ada"] } }, null],
    [
      { not: { fields: { tag: { ...PLACES.tag, values: ["ada"] } }, action: ["a"] } },
      { not: { action: ["a"] } },
    ],
  ])("of what %j leaves out: less is left out", (filter, expected) => {
    const left = withoutErased(filter, { actorId: "ada" });
    expect(left).toEqual(expected);
    expect(excludesLess(left, filter)).toBe(true);
  });

  test("of what is selected alone leaves out as much as before", () => {
    const filter = { actor_id: ["ada"], not: { action: ["a"], actor_type: ["ada"] } };
    const left = withoutErased(filter, { actorId: "ada" });
    expect(left).toEqual({ ...filter, actor_id: [] });
    expect(excludesLess(left, filter)).toBe(false);
  });
});
