// Guarantee: diff() has exactly the members that differ, so that the state before can be made from the state
// after, and never a member that is to be left out.

import { diff } from "@annals/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";

type Json = Record<string, unknown>;

test("it has what differs, at every depth, and arrays whole", () => {
  const before = { name: "a", total: 1, address: { city: "Bonn", zip: "1" }, tags: ["x"], old: 1 };
  const after = { name: "a", total: 2, address: { city: "Bonn", zip: "2" }, tags: ["x", "y"] };
  expect(diff(before, after)).toEqual({
    before: { total: 1, address: { zip: "1" }, tags: ["x"], old: 1 },
    after: { total: 2, address: { zip: "2" }, tags: ["x", "y"] },
  });
  expect(diff(undefined, { a: 1 })).toEqual({ before: {}, after: { a: 1 } });
  expect(diff({ a: 1 }, null)).toEqual({ before: { a: 1 }, after: {} });
  expect(diff({ at: new Date(0) }, { at: new Date(1) }).after).toEqual({
    at: "1970-01-01T00:00:00.001Z",
  });
});

test("a member that is to be left out is left out at every depth", () => {
  const changed = diff(
    { user: { password: "a", name: "x" } },
    { password: "b", user: {} },
    {
      omit: ["password"],
    },
  );
  expect(changed).toEqual({ before: { user: { name: "x" } }, after: {} });
});

test("what did not change is never in it, and what is in it differs", () => {
  const state = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
  fc.assert(
    fc.property(state, state, (one, other) => {
      const [before, after] = [one, other].map((each) => JSON.parse(JSON.stringify(each)) as Json);
      expect(diff(before, before)).toEqual({ before: {}, after: {} });
      const changed = diff(before, after);
      expect(changed.before).toEqual(diff(after, before).after);
      for (const [name, value] of Object.entries(after ?? {})) {
        const isSame =
          Object.hasOwn(before ?? {}, name) &&
          JSON.stringify(sorted(before?.[name])) === JSON.stringify(sorted(value));
        if (isSame) expect(Object.hasOwn(changed.after ?? {}, name)).toBe(false);
        else if (!isObject(value) || !isObject(before?.[name]))
          expect(changed.after?.[name]).toEqual(value);
      }
    }),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.keys(value)
    .toSorted()
    .map((name) => [name, sorted(value[name])]);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
