// Guarantee: each path at which an event has a value is counted once for it, with the type of all its values,
// and no path that no field could have. What is found there is what a filter by the path finds.

import { expect, test } from "vitest";
import { pathsIn } from "./paths-in.ts";

const partsOf = (given: Readonly<Record<string, object>>) => ({
  actor: JSON.stringify(given["actor"] ?? {}),
  context: JSON.stringify(given["context"] ?? {}),
  diff: JSON.stringify(given["diff"] ?? {}),
  metadata: JSON.stringify(given["metadata"] ?? {}),
  target: JSON.stringify(given["target"] ?? {}),
});

/** As `path type events`. */
const found = (...events: Readonly<Record<string, object>>[]) =>
  pathsIn(events.map(partsOf)).map(
    ({ events: count, path, type }) => `${path.join(".")} ${type} ${count}`,
  );

test("each root, and the most frequent first", () => {
  const event = {
    actor: { id: "u_1", type: "user", meta: { name: "Ada" } },
    target: { meta: { n: 1 } },
    diff: { before: { a: 1 }, after: { a: true } },
    metadata: { outcome: "a" },
    context: { http: { status: 200 } },
  };
  expect(found(event, { context: { z: "a" }, metadata: { outcome: "b" } })).toEqual([
    "metadata.outcome string 2",
    "actor.meta.name string 1",
    "context.http.status number 1",
    "context.z string 1",
    "diff.after.a string 1",
    "diff.before.a number 1",
    "target.meta.n number 1",
  ]);
});

test("an array gives each of its elements, once for an event; one in another gives none", () => {
  const context = { tags: ["a", "b", ["c"]], in: [{ x: 1 }, { x: 2 }, [{ y: 1 }]], none: null };
  expect(found({ context })).toEqual(["context.in.x number 1", "context.tags string 1"]);
});

test.each([
  ["ip", ["10.0.0.1", "2001:db8::1"]],
  ["string", ["10.0.0.1", "a"]],
  ["string", ["10.0.0.0/8"]],
  ["time", ["2026-01-31T09:30:00Z"]],
  ["string", ["2026-01-31T09:30:00Z", 5]],
  ["number", [5, -0.5]],
  ["string", [5, "5"]],
])("%s of %j", (type, values) => {
  expect(found(...values.map((a) => ({ context: { a } })))).toEqual([
    `context.a ${type} ${values.length}`,
  ]);
});

test("no path that is too deep, or has a name that no field can have", () => {
  const deep = (left: number): object => (left === 0 ? { a: 1 } : { a: deep(left - 1) });
  expect(found({ context: deep(8) })).toEqual([`context${".a".repeat(9)} number 1`]);
  expect(found({ context: deep(9) })).toEqual([]);
  expect(found({ context: { ["x".repeat(129)]: 1, "": 1, "a\u0001": 1 } })).toEqual([]);
});
