// Guarantee: a time is read to the instant it names and written as 27 fixed characters, with no digit made
// up and no date that does not exist. Date serves as an independent calendar for whole milliseconds.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatMicros, parseTimestamp } from "./timestamps.ts";

const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

describe("formatMicros", () => {
  test.each([
    [0, "1970-01-01T00:00:00.000000Z"],
    [1, "1970-01-01T00:00:00.000001Z"],
    [-1, "1969-12-31T23:59:59.999999Z"],
    [951_782_400_000_000, "2000-02-29T00:00:00.000000Z"],
    [-2_203_891_200_000_001, "1900-02-28T23:59:59.999999Z"],
    [-2_203_891_200_000_000, "1900-03-01T00:00:00.000000Z"],
    [Number.MAX_SAFE_INTEGER, "2255-06-05T23:47:34.740991Z"],
    [Number.MIN_SAFE_INTEGER, "1684-07-28T00:12:25.259009Z"],
  ])("%d is %s", (micros, text) => {
    expect(formatMicros(micros)).toBe(text);
  });

  test("a day's last microsecond stays in its day over the whole safe range", () => {
    const day = 86_400_000_000;
    const most = Math.floor(Number.MAX_SAFE_INTEGER / day);
    const wrong: number[] = [];
    for (let n = -most + 1; n <= most; n += 1) {
      const midnight = new Date((n * day) / 1000).toISOString().slice(0, 10);
      const before = new Date(((n - 1) * day) / 1000).toISOString().slice(0, 10);
      const isRight =
        formatMicros(n * day) === `${midnight}T00:00:00.000000Z` &&
        formatMicros(n * day - 1) === `${before}T23:59:59.999999Z`;
      if (!isRight) wrong.push(n);
    }
    expect(wrong).toStrictEqual([]);
  });

  test("agrees with the platform's calendar and keeps the microseconds", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micros) => {
        const within = ((micros % 1000) + 1000) % 1000;
        const platform = new Date((micros - within) / 1000).toISOString();
        expect(formatMicros(micros)).toBe(
          `${platform.slice(0, 23)}${String(within).padStart(3, "0")}Z`,
        );
      }),
    );
  });

  test("byte order is time order", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        expect(formatMicros(a) < formatMicros(b)).toBe(a < b);
      }),
    );
  });

  test.each([0.5, Number.NaN, Infinity, 2 ** 53])("refuses %d", (micros) => {
    expect(() => formatMicros(micros)).toThrow(RangeError);
  });
});

describe("parseTimestamp reads", () => {
  test.each([
    ["2026-01-01T03:04:05.678901Z", "2026-01-01T03:04:05.678901Z"],
    ["2026-01-01t03:04:05z", "2026-01-01T03:04:05.000000Z"],
    ["2026-01-01T03:04Z", "2026-01-01T03:04:00.000000Z"],
    ["2026-01-01T03:04+02", "2026-01-01T01:04:00.000000Z"],
    ["2026-01-01T03:04:05,5Z", "2026-01-01T03:04:05.500000Z"],
    ["2026-01-01T03:04:05.9999999999999Z", "2026-01-01T03:04:05.999999Z"],
    ["1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.999999Z"],
    ["2026-01-01T03:04:05+00:00", "2026-01-01T03:04:05.000000Z"],
    ["2026-01-01T03:04:05-00:00", "2026-01-01T03:04:05.000000Z"],
    ["2026-01-01T00:30:00+0130", "2025-12-31T23:00:00.000000Z"],
    ["2025-12-31T23:30:00-01", "2026-01-01T00:30:00.000000Z"],
    ["2024-03-01T00:00:00+00:01", "2024-02-29T23:59:00.000000Z"],
    ["2023-03-01T00:00:00+00:01", "2023-02-28T23:59:00.000000Z"],
    ["2000-02-29T12:00:00Z", "2000-02-29T12:00:00.000000Z"],
    ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000000Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"],
    ["0000-01-01T23:59:00+23:59", "0000-01-01T00:00:00.000000Z"],
    ["9999-12-31T00:00:00-23:59", "9999-12-31T23:59:00.000000Z"],
  ])("%s as %s", (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  test("a fraction of 60,000 digits", () => {
    expect(parseTimestamp(`2026-01-01T00:00:00.${"1".repeat(60_000)}Z`)).toBe(
      "2026-01-01T00:00:00.111111Z",
    );
  });

  test("what formatMicros writes, unchanged", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micros) => {
        expect(parseTimestamp(formatMicros(micros))).toBe(formatMicros(micros));
      }),
    );
  });

  test("every offset as the platform does, or refuses what leaves the years 0000 to 9999", () => {
    const instant = fc.integer({ min: FIRST_MS, max: LAST_MS });
    const offset = fc.integer({ min: -1439, max: 1439 });
    fc.assert(
      fc.property(instant, offset, (ms, minutes) => {
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
        const local = new Date(ms).toISOString().slice(0, 23);
        const utc = ms - minutes * 60_000;
        const inRange = utc >= FIRST_MS && utc <= LAST_MS;
        const expected = inRange ? `${new Date(utc).toISOString().slice(0, 23)}000Z` : undefined;
        expect(parseTimestamp(local + zone)).toBe(expected);
      }),
    );
  });

  test("each day of a 400-year cycle, and refuses the days between", () => {
    for (let year = 1800; year < 2200; year += 1) {
      for (let month = 1; month <= 12; month += 1) {
        const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
        const date = (day: number) => `${year}-${pad(month)}-${pad(day)}T00:00:00`;
        expect(parseTimestamp(`${date(days)}Z`)).toBe(`${date(days)}.000000Z`);
        expect(parseTimestamp(`${date(days + 1)}Z`)).toBeUndefined();
        // Through the day count and back: midnight less nothing, then over the end of the month.
        const next = new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
        expect(parseTimestamp(`${date(days)}-23:59`)).toBe(
          `${date(days).slice(0, 10)}T23:59:00.000000Z`,
        );
        expect(parseTimestamp(`${date(days).slice(0, 10)}T00:01:00-23:59`)).toBe(
          `${next}T00:00:00.000000Z`,
        );
      }
    }
  });
});

describe("parseTimestamp refuses", () => {
  test.each([
    ["", "nothing"],
    ["2026-01-01T03:04:05", "no offset"],
    ["2026-01-01T03:04:05.5", "no offset behind a fraction"],
    ["2026-01-01", "no time"],
    ["2026-02-29T00:00:00Z", "February 29 of a common year"],
    ["1900-02-29T00:00:00Z", "February 29 of a century"],
    ["2026-02-30T00:00:00Z", "February 30"],
    ["2026-04-31T00:00:00Z", "April 31"],
    ["2026-00-01T00:00:00Z", "month 0"],
    ["2026-13-01T00:00:00Z", "month 13"],
    ["2026-01-00T00:00:00Z", "day 0"],
    ["2026-01-32T00:00:00Z", "day 32"],
    ["2026-01-01T24:00:00Z", "hour 24"],
    ["2026-01-01T25:00:00Z", "hour 25"],
    ["2026-01-01T00:60:00Z", "minute 60"],
    ["2026-12-31T23:58:60Z", "second 60 of another minute"],
    ["2026-12-31T23:59:60+01:00", "second 60 of another minute in UTC"],
    ["2026-12-31T23:59:61Z", "second 61"],
    ["2026-12-31T23:59:60.Z", "second 60 with a point and no digit"],
    ["2026-01-01T00:00:00.Z", "a point without digits"],
    ["2026-01-01T00:00.5Z", "a fraction of a minute"],
    ["2026-01-01T00:00:00+24:00", "offset 24:00"],
    ["2026-01-01T00:00:00+00:60", "offset 00:60"],
    ["2026-01-01T00:00:00+1", "offset of one digit"],
    ["2026-01-01T00:00:00+100", "offset of three digits"],
    ["2026-01-01T00:00:00+01:0", "offset cut short"],
    ["2026-01-01T00:00:00+01:000", "offset too long"],
    ["2026-01-01T00:00:00 02:00", "a plus sign lost in a query string"],
    ["2026-01-01T00:00:00ZZ", "two offsets"],
    ["2026-01-01T00:00:00Z ", "white space behind"],
    [" 2026-01-01T00:00:00Z", "white space before"],
    ["2026-01-01T00:00:00Z\n", "a line end behind"],
    ["2026-1-01T00:00:00Z", "month of one digit"],
    ["+2026-01-01T00:00:00Z", "a signed year"],
    ["12026-01-01T00:00:00Z", "a year of five digits"],
    ["2026-01-01T0a:00:00Z", "a letter"],
    ["２０２６-01-01T00:00:00Z", "digits that are not ASCII"],
    ["0000-01-01T00:00:00+00:01", "an instant before the year 0000"],
    ["9999-12-31T23:59:59-00:01", "an instant after the year 9999"],
  ])("%j: %s", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test("or answers 27 characters, for any text", () => {
    const nearly = fc.stringMatching(
      /^[0-9]{4}-[01][0-9]-[0-3][0-9][Tt][0-2][0-9]:[0-5][0-9](:[0-6][0-9])?.{0,9}$/,
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), (text) => {
        const parsed = parseTimestamp(text);
        if (parsed !== undefined)
          expect(parsed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      }),
    );
  });
});

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

test.each([
  ["2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999Z"],
  ["2016-12-31T23:59:60.5Z", "2016-12-31T23:59:59.999999Z"],
  ["2017-01-01T00:59:60+01:00", "2016-12-31T23:59:59.999999Z"],
  ["2016-12-31T15:59:60,25-08", "2016-12-31T23:59:59.999999Z"],
  ["2017-01-01T05:29:60+0530", "2016-12-31T23:59:59.999999Z"],
])("the leap second %s is the last microsecond before it", (text, time) => {
  expect(parseTimestamp(text)).toBe(time);
});
