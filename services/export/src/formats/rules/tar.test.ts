// Guarantee: what is written is a tar file that the system's own program reads, and a size above 8 GiB is a
// binary number.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { TAR_END_BYTES, tarHeader, tarPadding } from "./tar.ts";

const FILES = ["", "a", "x".repeat(511), "y".repeat(512), "z".repeat(513)];

test("files of any size are read back", () => {
  const blocks = FILES.flatMap((text, at) => [
    tarHeader(`tile/0/${at}`, text.length, 1_700_000_000),
    Buffer.from(text),
    tarPadding(text.length),
  ]);
  const input = Buffer.concat([...blocks, Buffer.alloc(TAR_END_BYTES)]);
  expect(input.length % 512).toBe(0);
  const { status, stdout } = spawnSync("tar", ["-xOf", "-"], { input });
  expect([status, String(stdout)]).toEqual([0, FILES.join("")]);
});

test("a size is octal up to 8 GiB, and binary above it", () => {
  const sizeOf = (size: number) => tarHeader("a", size, 0).subarray(124, 136);
  expect(sizeOf(8 ** 11 - 1).toString()).toBe("77777777777\0");
  const large = sizeOf(8 ** 11);
  expect(large[0]).toBe(0x80);
  expect(large.readBigUInt64BE(4)).toBe(8n ** 11n);
});

test("a name that does not fit is refused", () => {
  expect(() => tarHeader("n".repeat(101), 0, 0)).toThrow("too long");
});
