// Guarantee: the one pass looks at n log n bytes at most for n bytes of input, whatever the names are and
// however deep they nest; what it writes it only appends. A large batch is read in pieces, between which
// others have their turn, and no limit lets a body take more levels of the stack than the ceiling.

import { describe, expect, test } from "vitest";
import { differenceOf, found, LIMITS, resultOf } from "../testing/compare-with-strict.ts";
import { checkEventBytes, readEventBytes } from "./event-bytes.ts";
import { EventReader } from "./event-reader.ts";
import { DEPTH_CEILING } from "./read-limits.ts";

const NO_LIMITS = { maxDepth: DEPTH_CEILING, maxValues: 10_000_000, maxEvents: 1_000 };
const MEBIBYTE = 1024 * 1024;

/** Bytes that counts how often they are read, one at a time. */
function counted(text: string): { bytes: Uint8Array; reads: () => number } {
  const bytes = Buffer.from(text);
  let reads = 0;
  const proxy = new Proxy(bytes, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { bytes: proxy, reads: () => reads };
}

/** An event whose metadata is this object. */
const withObject = (object: string) => `{"action":"a","metadata":${object}}`;

const COUNT = 4_000;
const numbers = Array.from({ length: COUNT }, (_, at) => String(at).padStart(5, "0"));
const objectOf = (names: readonly string[]) => `{${names.map((name) => `"${name}":0`).join()}}`;

/** So many levels of objects with two members out of order, around what is given. */
const around = (levels: number, inner: string) =>
  `${'{"b":0,"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;

const DEEP = DEPTH_CEILING - 3;

describe("the bytes that are looked at", () => {
  test.each([
    ["names in reverse order", objectOf(numbers.toReversed())],
    ["names in order, the first one last", objectOf([...numbers.slice(1), "00000"])],
    [
      "two runs that interleave",
      objectOf([1, 0].flatMap((odd) => numbers.filter((_, at) => at % 2 === odd))),
    ],
    [
      "long names that differ at their end",
      objectOf(
        numbers
          .slice(0, 400)
          .map((name) => "x".repeat(200) + name)
          .toReversed(),
      ),
    ],
    [
      "names of which each begins with another",
      objectOf(Array.from({ length: 200 }, (_, at) => "x".repeat(200 - at))),
    ],
    [
      "long names of escapes that differ at their end",
      objectOf(Array.from({ length: 400 }, (_, at) => `${"\\\\".repeat(100)}${numbers[400 - at]}`)),
    ],
    [
      "the same of escapes of six characters",
      objectOf(
        Array.from({ length: 400 }, (_, at) => `${"\\u001f".repeat(33)}${numbers[400 - at]}`),
      ),
    ],
    ["nesting with reversed names at each level", around(DEEP, "{}")],
    ["the same around many names in reverse order", around(DEEP, objectOf(numbers.toReversed()))],
    ["the same around a long text", around(DEEP, `"${"x".repeat(50_000)}"`)],
    [
      "reversed names after a long text at each level",
      `${`{"b":"${"x".repeat(100)}","a":`.repeat(DEEP)}{}${"}".repeat(DEEP)}`,
    ],
    ["white space at each level", `${'{ "a" : '.repeat(DEEP)}{ }${" }".repeat(DEEP)}`],
  ])("are n log n at most: %s", (_, object) => {
    const text = withObject(object);
    const { bytes, reads } = counted(text);
    const reader = new EventReader(bytes, NO_LIMITS, false);
    const result = reader.readEvent();
    expect(differenceOf({ form: "event", bytes: Buffer.from(text) }, result, NO_LIMITS)).toBe(
      undefined,
    );
    expect(result).toBeDefined();
    // Each byte a few times as part of a token, and those of both names of each comparison.
    const n = text.length;
    expect(reads()).toBeLessThan(4 * n + 2 * n * Math.log2(COUNT));
    expect(reads()).toBeGreaterThan(n / 2);
  });

  test("control: comparing each name with each other one is found", () => {
    class Quadratic extends EventReader {
      protected override isRepeated(first: number): boolean {
        for (let at = 0; at < this.bytes.length; at += 8) super.isRepeated(first);
        return super.isRepeated(first);
      }
    }
    const text = withObject(objectOf(numbers.slice(0, 200).toReversed()));
    const { bytes, reads } = counted(text);
    expect(new Quadratic(bytes, NO_LIMITS, false).readEvent()).toBeDefined();
    expect(reads()).toBeGreaterThan(4 * text.length + 2 * text.length * Math.log2(COUNT));
  });
});

describe("a body of a megabyte", () => {
  const items = (size: number, item: (n: number) => string) => {
    const texts: string[] = [];
    for (let length = 0, n = 0; length < size; n += 1) {
      const text = item(n);
      texts.push(text);
      length += text.length + 1;
    }
    return texts;
  };
  /** Many times what the slowest reading here takes. */
  const MOST_MS = 5_000;

  test.each<[string, () => string]>([
    ["names in reverse order", () => `{${items(MEBIBYTE, (n) => `"${9_000_000 - n}":1`).join()}}`],
    [
      "names with one that is repeated",
      () => `{${items(MEBIBYTE, (n) => `"${9_000_000 - n}":1`).join()},"8999999":1}`,
    ],
    ["open objects", () => '{"a":'.repeat(MEBIBYTE / 4)],
    ["open arrays", () => `{"a":${"[".repeat(MEBIBYTE)}`],
    ["an array of numbers", () => `{"a":[${"1,".repeat(MEBIBYTE / 2)}1]}`],
    ["digits", () => `{"a":${"1".repeat(MEBIBYTE)}}`],
    ["zeros of a fraction", () => `{"a":0.${"0".repeat(MEBIBYTE)}1}`],
    ["white space", () => `{"a":${" ".repeat(MEBIBYTE)}1}`],
    ["a string that does not end", () => `{"a":"${"x".repeat(MEBIBYTE)}`],
    ["empty objects with white space", () => `{"a":[${"{ },".repeat(MEBIBYTE / 4)}{ }]}`],
  ])("is read or left without delay: %s", (_, make) => {
    const bytes = Buffer.from(withObject(make()));
    // CPU time: what a busy machine makes wait does not count.
    const before = process.threadCpuUsage();
    resultOf(readEventBytes(bytes, "event", NO_LIMITS));
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(MOST_MS);
  });

  test("is read in pieces of 16 KiB and the event that ends them", () => {
    const event = `{"action":"a","metadata":{"b":"${"x".repeat(10_000)}","a":1}}`;
    const body = Buffer.from(`{"events":[${Array.from({ length: 400 }, () => event).join()}]}`);
    const yields = (work: Generator<void, unknown>) => [...work].length;
    // Two events of 10 KB are the first to have 16 KiB.
    expect(yields(readEventBytes(body, "batch", LIMITS))).toBeGreaterThanOrEqual(199);
    const { bytes = Buffer.alloc(0) } = found({ form: "batch", bytes: body }) ?? {};
    expect(yields(checkEventBytes(bytes, LIMITS))).toBeGreaterThanOrEqual(199);
    const small = body.subarray(0, event.length);
    expect(yields(readEventBytes(small, "batch", LIMITS))).toBe(0);
  });

  test("is read no deeper than the ceiling, whatever the limit is", () => {
    const limits = { ...NO_LIMITS, maxDepth: 1_000_000 };
    const body = (levels: number) =>
      Buffer.from(withObject(`{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`));
    const isTaken = (levels: number) =>
      found({ form: "event", bytes: body(levels) }, limits) !== undefined;
    expect(isTaken(DEPTH_CEILING - 2)).toBe(true);
    expect(isTaken(DEPTH_CEILING - 1)).toBe(false);
    expect(isTaken(MEBIBYTE)).toBe(false);
  });
});
