// Guarantee: no JSON text, of whatever kind, takes time or memory out of proportion to its length to read
// or to refuse.

import { describe, expect, test } from "vitest";
import { JsonFault } from "./json-value.ts";
import type { JsonValue } from "./json-value.ts";
import { readJson } from "./read-json.ts";

const LIMITS = { maxDepth: 32, maxValues: 10_000_000 };
const MEBIBYTE = 1024 * 1024;

describe("takes time and memory in proportion", () => {
  // Many times what the slowest reading here takes, and many times less than a quadratic one would take.
  const MOST_MS = 5000;

  test.each<[string, () => string]>([
    ["open brackets", () => "[".repeat(MEBIBYTE)],
    ["open objects", () => '{"a":'.repeat(MEBIBYTE / 4)],
    ["different names in one object", () => `{${fill((n) => `"k${n.toString(36)}":1`)}}`],
    ["different names in small objects", () => `[${fill((n) => `{"k${n.toString(36)}":1}`)}]`],
    ["integer names in one object", () => `{${fill((n) => `"${n}":1`)}}`],
    ["far integer names", () => `{${fill((n) => `"${(n * 7919) % 4_294_967_291}":1`)}}`],
    ["integer names with equal low bits", () => `{${fill((n) => `"${n * 2 ** 20 + 2 ** 33}":1`)}}`],
    [
      "names that differ in their last character",
      () => `{${fill((n) => `"${"x".repeat(200)}${n}":1`)}}`,
    ],
    ["escaped names", () => `{${fill((n) => `"\\u006b${n}":1`)}}`],
    ["a repeated name at the end", () => `{${fill((n) => `"k${n}":1`)},"k1":1}`],
    ["escapes", () => `"${"\\u0041".repeat(200_000)}"`],
    ["zeros inside a number", () => `1${"0".repeat(MEBIBYTE)}1`],
    ["many numbers with zeros inside", () => `[${fill(() => `1${"0".repeat(5000)}1e-5001`)}]`],
    ["an exponent of a million digits", () => `1e${"9".repeat(MEBIBYTE)}`],
    ["replacement characters", () => `"${"\ufffd".repeat(MEBIBYTE / 4)}`],
    ["white space", () => " ".repeat(MEBIBYTE)],
    ["empty objects", () => `[${fill(() => "{}")}]`],
  ])("over a MiB of %s", (_, make) => {
    const bytes = Buffer.from(make());
    // CPU time: what a busy machine makes wait does not count.
    const before = process.threadCpuUsage();
    try {
      readJson(bytes, LIMITS);
    } catch (error) {
      expect(error).toBeInstanceOf(JsonFault);
    }
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(MOST_MS);
  });

  test("and keeps far integer names in small objects small", () => {
    const count = 20_000;
    const bytes = Buffer.from(`[${Array.from({ length: count }, () => '{"1022":1}').join(",")}]`);
    const before = process.memoryUsage().heapUsed;
    const value = readJson(bytes, LIMITS) as JsonValue[];
    const grown = process.memoryUsage().heapUsed - before;
    expect(value).toHaveLength(count);
    // As plain members they take over 12 kB each.
    expect(grown / count).toBeLessThan(3000);
  });

  function fill(item: (n: number) => string): string {
    const items: string[] = [];
    for (let length = 0, n = 0; length < MEBIBYTE; n += 1) {
      const text = item(n);
      items.push(text);
      length += text.length + 1;
    }
    return items.join(",");
  }
});
