// Guarantee: of any JSON text the members and elements are found as they are read, byte for byte; a text that
// is cut off is refused, in linear time.

import { atOnce, PIECE_BYTES } from "@annals/contract";
import { JsonFault } from "@annals/event";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arrayOf, listOf, membersOf } from "./json-slices.ts";

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const spaced = (value: unknown) => JSON.stringify(value, undefined, " \t");

test("the members of any object, with or without white space", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, isSpaced) => {
      const text = isSpaced ? spaced(object) : JSON.stringify(object);
      const members = membersOf(Buffer.from(text));
      const read = [...members].map(([name, bytes]) => [name, JSON.parse(textOf(bytes))]);
      expect(read).toEqual(Object.entries(JSON.parse(text)));
    }),
  );
});

test("the elements of any array", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (array) => {
      const elements = atOnce(arrayOf(Buffer.from(spaced(array)), 1_000));
      expect(elements.map((bytes) => JSON.parse(textOf(bytes)))).toEqual(
        JSON.parse(JSON.stringify(array)),
      );
    }),
  );
});

test("no text that is cut off is a list", () => {
  const text = String.raw`{"a":{"b":"\"}"},"items":[1,"]",{"c":[]}]}`;
  const list = (bytes: string) =>
    atOnce(listOf(Buffer.from(bytes), { name: "items", maxElements: 9 }));
  const { elements, members } = list(text);
  expect(elements?.map(textOf)).toEqual(["1", '"]"', '{"c":[]}']);
  expect([...members.keys()]).toEqual(["a"]);
  for (let length = 0; length < text.length; length += 1)
    expect(() => list(text.slice(0, length))).toThrow(JsonFault);
});

describe("refuses", () => {
  test.each([
    ["a member twice", String.raw`{"a":1,"\u0061":2}`],
    ["what follows the object", "{}x"],
    ["elements without a comma", '{"items":[1 2]}'],
    ["more elements than are allowed", '{"items":[1,2,3]}'],
    ["a name that is not a string", "{a:1}"],
    ["a member without a value", '{"a":}'],
  ])("%s", (_, text) => {
    const read = () => atOnce(listOf(Buffer.from(text), { name: "items", maxElements: 2 }));
    expect(read).toThrow(JsonFault);
  });
});

test("a list yields between its pieces", () => {
  const elements = Array.from({ length: 40 }, () => "x".repeat(100_000));
  const work = arrayOf(Buffer.from(JSON.stringify(elements)), 40);
  let pieces = 1;
  while (work.next().done !== true) pieces += 1;
  expect(pieces).toBeGreaterThan(5);
});

test("8 MiB of quotes and backslashes take linear time", () => {
  const text = `["${'\\\\\\"'.repeat(2 * 1024 * 1024)}"]`;
  expect(atOnce(arrayOf(Buffer.from(text), 1))).toHaveLength(1);
});

describe("is found in pieces: many", () => {
  const LONG = 64 * PIECE_BYTES;
  const space = " \n\r\t".repeat(LONG / 4);
  const list = (text: string) => listOf(Buffer.from(text), { name: "items", maxElements: 2 });
  const array = (text: string) => arrayOf(Buffer.from(text), 2);
  test.each<[string, Iterable<void>]>([
    ["spaces before an object", list(`${space}{}`)],
    ["spaces in an empty object", list(`{${space}}`)],
    ["spaces before a name", list(`{"a":1,${space}"items":[]}`)],
    ["spaces before a colon", list(`{"items"${space}:[]}`)],
    ["spaces before a list", list(`{"items":${space}[]}`)],
    ["spaces before a value", list(`{"a":${space}1}`)],
    ["spaces after a value", list(`{"a":1${space}}`)],
    ["spaces after an object", list(`{}${space}`)],
    ["spaces before an array", array(`${space}[]`)],
    ["spaces in an empty array", array(`[${space}]`)],
    ["spaces before an element", array(`[1,${space}1]`)],
    ["spaces after an element", array(`[1${space},1]`)],
    ["spaces after an array", array(`[]${space}`)],
    ["digits of a number", array(`[${"1".repeat(LONG)}]`)],
    ["quotes in a name", list(`{"${'\\"'.repeat(LONG / 2)}":1}`)],
    ["quotes in a text", array(`["${'\\"'.repeat(LONG / 2)}"]`)],
    ["brackets", array(`[${"[".repeat(LONG / 2)}${"]".repeat(LONG / 2)}]`)],
  ])("%s", (_, work) => {
    expect(Array.from(work).length).toBeGreaterThanOrEqual(LONG / PIECE_BYTES - 1);
  });
});
