// Guarantee: what is not shown leaves no byte, of its value or of its salt; what is shown stays as it was
// hashed. A text that was changed in the database hides more, never less.

import { type WidgetPart, WIDGET_PARTS } from "@annals/contract";
import { canonicalJson, PARTS, SALT_BYTES } from "@annals/event";
import { describe, expect, test } from "vitest";
import { hideParts } from "./hide-parts.ts";

const EVENT = {
  actor: canonicalJson({ id: 'u"1\\', type: "é", meta: { secret: ["SECRET", { type: "x" }] } }),
  target: canonicalJson({ type: "invoice", meta: {} }),
  context: canonicalJson({ SECRET: 1 }),
  diff: "{}",
  metadata: canonicalJson({ SECRET: { meta: "m" } }),
  // Each salt is its index from 1, repeated.
  salts: Buffer.concat(PARTS.map((_, at) => Buffer.alloc(SALT_BYTES, at + 1))),
  erased: 0,
};
/** The parts whose salts are given. */
const salted = (salts: Uint8Array) => PARTS.filter((_, at) => salts[at * SALT_BYTES] === at + 1);

test("everything is shown byte for byte, with its salts", () => {
  expect(hideParts(EVENT, WIDGET_PARTS)).toEqual({ ...EVENT, hidden: [] });
});

test("nothing is shown but ids and types, without a salt of what is hidden", () => {
  const { erased, hidden, salts, ...texts } = hideParts(EVENT, []);
  expect(erased).toBe(0);
  expect(hidden).toEqual(WIDGET_PARTS);
  expect(texts).toEqual({
    actor: canonicalJson({ id: 'u"1\\', type: "é" }),
    target: canonicalJson({ type: "invoice" }),
    context: "",
    diff: "",
    metadata: "",
  });
  expect(salts).toEqual(Buffer.alloc(PARTS.length * SALT_BYTES));
  expect(EVENT.salts[0]).toBe(1);
});

test.each(WIDGET_PARTS)("of %s alone the text and the salt are given", (name: WidgetPart) => {
  const part = name.replace(".meta", "") as (typeof PARTS)[number];
  const shown = hideParts(EVENT, [name]);
  expect(shown[part]).toBe(EVENT[part]);
  expect(salted(shown.salts)).toEqual([part]);
  expect(shown.hidden).toEqual(WIDGET_PARTS.filter((one) => one !== name));
});

test.each(["{}", "", '{"id":"meta"}', '{"id":"a","type":"meta"}'])(
  "%j has no meta to hide",
  (text) => {
    const shown = hideParts({ ...EVENT, actor: text, target: text }, []);
    expect(shown).toMatchObject({ actor: text, target: text });
    expect(salted(shown.salts)).toEqual(["actor", "target"]);
  },
);

test("of a hidden part it is not said that it is erased", () => {
  const erased = { ...EVENT, actor: "{}", diff: "{}", metadata: "{}", erased: 1 + 4 + 8 };
  expect(hideParts(erased, ["metadata"])).toMatchObject({
    hidden: ["target.meta", "context", "diff"],
    erased: 1 + 8,
  });
});

describe("a text that was changed", () => {
  test.each([
    '{"meta":"SECRET","id":"u"',
    '["SECRET"]',
    '"SECRET"',
    "null",
    '{"id":{"SECRET":1},"meta":1}',
    '{"id":"u","other":"SECRET","meta":1}',
    '{"id":"u","me\\u0074a":"SECRET"}',
  ])("%s shows nothing of it", (text) => {
    const shown = hideParts({ ...EVENT, actor: text }, []);
    expect(JSON.stringify(shown)).not.toContain("SECRET");
    expect(salted(shown.salts)).toEqual([]);
    expect(shown.hidden).toContain("actor.meta");
  });
});
