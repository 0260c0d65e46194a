// Guarantee: a query is read as the filters that it says, and filters are written as a query that is read as
// the same filters, whatever their values are. A query that is wrong says what is wrong, and where.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FIXED_NAMES } from "./names.ts";
import { parseQuery } from "./parse-query.ts";
import { partAt } from "./part-at.ts";
import { printQuery } from "./print-query.ts";

test.each([
  ["", {}],
  ["action:user.*", { action: ["user.*"] }],
  [
    "action:user.* -outcome:success ip:203.0.113.0/24",
    { action: ["user.*"], "not.outcome": ["success"], "field.ip": ["203.0.113.0/24"] },
  ],
  ["actor:u_1 target:inv_9", { actor_id: ["u_1"], target_id: ["inv_9"] }],
  ["action:(a b) action:(b c)", { action: ["a", "b", "c"] }],
  [`-actor_id:("Ada Park" u_2)`, { "not.actor_id": ["Ada Park", "u_2"] }],
  ["status:500..599 field.action:x", { "field.status": ["500..599"], "field.action": ["x"] }],
  [String.raw`action:"a \"b\" \\ c"`, { action: [String.raw`a "b" \ c`] }],
  ["action:a:b", { action: ["a:b"] }],
  ["card declined", { text: ["card declined"] }],
  [`declined action:x "by  bank"`, { text: ["declined by  bank"], action: ["x"] }],
  [`"ip:10.0.0.1"`, { text: ["ip:10.0.0.1"] }],
  [
    "occurred:2026-11-01..2026-11-02T03:04:05Z",
    { occurred_from: ["2026-11-01T00:00:00Z"], occurred_to: ["2026-11-02T03:04:05Z"] },
  ],
  ["occurred:..2026-11-02", { occurred_to: ["2026-11-02T00:00:00Z"] }],
])("%s", (query, filters) => {
  expect(parseQuery(query)).toStrictEqual({ filters });
});

test.each([
  [`action:"a b`, "openQuote", 0, 11],
  ["x:1 action:(a b", "openList", 4, 15],
  ["abc action:", "missingValue", 4, 11],
  ["action:()", "missingValue", 0, 9],
  [`action:""`, "missingValue", 0, 9],
  ["abc -def", "excludedText", 4, 8],
  ["action:x ab", "shortText", 9, 11],
  ["occurred:yesterday", "badTime", 0, 18],
  ["occurred:..", "badTime", 0, 11],
  ["-occurred:2026-11-01..", "badTime", 0, 22],
])("%s is wrong: %s", (query, kind, from, to) => {
  expect(parseQuery(query)).toStrictEqual({ filters: {}, fault: { kind, from, to } });
});

const fieldName = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
const reserved = fc.constantFrom("action", "occurred", "actor", "text", "field.x", "not.x", "-x");
const filterName = fc
  .oneof(
    fc.constantFrom(...FIXED_NAMES),
    fc.oneof(fieldName, reserved).map((name) => `field.${name}`),
  )
  .chain((name) => fc.constantFrom(name, `not.${name}`));
/** Made of what means something in a query, more often than not. */
const anyText = fc.oneof(
  fc.string({ minLength: 1, unit: "binary" }),
  fc.string({ minLength: 1, unit: fc.constantFrom(...Array.from('"\\():- .*a\n\u00A0')) }),
);
const times = fc.record(
  {
    occurred_from: fc.constant(["2026-11-01T00:00:00Z"]),
    occurred_to: fc.constant(["2026-11-02T01:00:00.5Z"]),
  },
  { requiredKeys: [] },
);
const filters = fc
  .tuple(
    fc.dictionary(filterName, fc.uniqueArray(anyText, { minLength: 1, maxLength: 4 })),
    times,
    fc.option(
      anyText.filter((text) => Array.from(text).length >= 3),
      { nil: undefined },
    ),
  )
  .map(([values, range, text]) => ({
    ...values,
    ...range,
    ...(text !== undefined && { text: [text] }),
  }));

test("what is written is read as the same", () => {
  fc.assert(
    fc.property(filters, (given) => {
      expect(parseQuery(printQuery(given)).filters).toEqual(given);
    }),
  );
});

test("every text is a query or has a fault inside of it", () => {
  fc.assert(
    fc.property(anyText, (query) => {
      const { fault, filters: found } = parseQuery(query);
      if (fault)
        expect([fault.from >= 0, fault.from < fault.to, fault.to <= query.length]).toEqual([
          true,
          true,
          true,
        ]);
      else expect(parseQuery(printQuery(found)).filters).toEqual(found);
    }),
  );
});

test.each([
  ["|", undefined, "", ""],
  ["act|", undefined, "act", "act"],
  ["-act|", undefined, "act", "act"],
  ["act|ion:x", undefined, "act", "act"],
  ["action:|", "action", "", ""],
  ["action:us| x", "action", "us", "us"],
  ["-ip:(10.| b)", "field.ip", "10.", "10."],
  ["ip:(a |", "field.ip", "", ""],
  [`action:"user l|"`, "action", "user l", `"user l"`],
])("at %s a reader types a name or a value", (marked, filter, text, replaced) => {
  const place = marked.indexOf("|");
  const query = marked.replace("|", "");
  const part = partAt(query, place);
  expect(part).toMatchObject({ filter, text });
  expect(query.slice(part.from, part.to)).toBe(replaced);
});
