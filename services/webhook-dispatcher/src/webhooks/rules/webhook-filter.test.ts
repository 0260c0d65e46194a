// Guarantee: a webhook's filter selects an event exactly if one of the lists would, whose filters have one of
// the values of each member. An erased value is never matched.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  FILTER_MEMBERS,
  isSelected,
  valuesOf,
  type WebhookFilter,
  withoutErased,
} from "./webhook-filter.ts";

/** Few texts, so that they meet: also beginnings of others, of several bytes and beyond the first plane. */
const text = fc.constantFrom(
  "user",
  "user.",
  "user.deleted",
  "user.delete",
  "usér",
  "u\u{1F600}",
  "u",
  "*",
  "a*b",
);
const action = fc.oneof(
  text,
  text.map((one) => `${one}*`),
  fc.constant("*"),
);
const values = (member: string) =>
  fc.array(member === "action" ? action : text, { minLength: 1, maxLength: 10 });
const filters = fc.record(
  Object.fromEntries(FILTER_MEMBERS.map((member) => [member, values(member)])),
  { requiredKeys: [] },
) as fc.Arbitrary<WebhookFilter>;
const party = fc.record(
  { id: text, type: text, meta: fc.constant({ id: "u" }) },
  { requiredKeys: [] },
);
const events = fc.record({ action: text, actor: party, target: party });

type Event = typeof events extends fc.Arbitrary<infer Of> ? Of : never;

/** The filters of lists, with one value each, that a filter of several values stands for. */
function listsOf(filter: WebhookFilter): Readonly<Record<string, string>>[] {
  return Object.entries(filter).reduce<Readonly<Record<string, string>>[]>(
    (lists, [member, all]) =>
      lists.flatMap((list) => (all ?? []).map((value) => ({ ...list, [member]: value }))),
    [{}],
  );
}

/** Whether a list with these filters has the event, by what docs/interface.md says of each filter. */
function isListed(
  list: Readonly<Record<string, string>>,
  { action: of, actor, target }: Event,
): boolean {
  const columns: Readonly<Record<string, string | undefined>> = {
    actor_id: actor.id,
    actor_type: actor.type,
    target_id: target.id,
    target_type: target.type,
  };
  return Object.entries(list).every(([member, value]) => {
    if (member !== "action") return columns[member] === value;
    const points = Array.from(value);
    if (points.at(-1) !== "*") return of === value;
    return (
      Array.from(of)
        .slice(0, points.length - 1)
        .join("") === points.slice(0, -1).join("")
    );
  });
}

test("it selects what lists of each combination of values have", () => {
  const outcomes = new Set<boolean>();
  fc.assert(
    fc.property(filters, events, (filter, event) => {
      const isAny = listsOf(filter).some((list) => isListed(list, event));
      outcomes.add(isAny);
      expect(isSelected(filter, valuesOf(JSON.stringify(event)))).toBe(isAny);
    }),
  );
  expect(outcomes.size).toBe(2);
});

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
});
