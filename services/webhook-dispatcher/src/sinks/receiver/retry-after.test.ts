// Guarantee: a receiver that asks to wait is waited for, in seconds or until a date, for at most an hour.

import { expect, test } from "vitest";
import { retryAfterS } from "./retry-after.ts";

const NOW_MS = Date.parse("2026-11-27T13:53:47Z");

test.each([
  ["0", 0],
  ["17", 17],
  [" 17 ", 17],
  ["3600", 3_600],
  ["3601", 3_600],
  ["9999999999", 3_600],
  ["Fri, 27 Nov 2026 13:54:00 GMT", 13],
  ["Friday, 27-Nov-26 13:54:00 GMT", 13],
  ["Fri, 27 Nov 2026 13:53:00 GMT", 0],
  ["Fri, 27 Nov 2099 13:53:00 GMT", 3_600],
  ["-1", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["Fri, 99 Nov 2026 13:54:00 GMT", undefined],
  ["2099", 2_099],
  ["", undefined],
  [undefined, undefined],
])("%j is %j seconds", (header, seconds) => {
  expect(retryAfterS(429, header, NOW_MS)).toBe(seconds);
  expect(retryAfterS(503, header, NOW_MS)).toBe(seconds);
});

test.each([200, 400, 500, null])("a status %j does not ask", (status) => {
  expect(retryAfterS(status, "17", NOW_MS)).toBeUndefined();
});
