// Guarantee: the log is kept in the bucket that ANNALS_LOG_S3_URL names, locked for the days that it says. A
// URL that names none, or no such time, does not start the dispatcher, and is not printed.

import { ConfigError, parseConfig } from "@annals/chassis";
import { expect, test } from "vitest";
import { SETTINGS } from "./config.ts";

const parse = (given: string) =>
  parseConfig({ logS3: SETTINGS.logS3 }, { ANNALS_LOG_S3_URL: given }).logS3;

test("the bucket of the log is locked for seven years by default, or for the days of its URL", () => {
  expect(parse("")).toBeUndefined();
  expect(parse("s3://log")).toMatchObject({ bucket: "log", lockDays: 2_557 });
  for (const lockDays of [1, 36_500])
    expect(parse(`s3://log/?lock_days=${lockDays}`)).toMatchObject({ bucket: "log", lockDays });
  const url = "s3://log?region=eu-1&endpoint=https://s3.example";
  expect(parse(url)).toMatchObject({ region: "eu-1", endpoint: "https://s3.example" });
});

test.each([
  ["log", "must be a URL such as s3://bucket"],
  ["s3://log/annals", "must not have a prefix: the log is at the root of its bucket"],
  ["s3://log?lock_days=0", "has wrong lock_days: they must be an integer from 1 to 36500"],
  ["s3://log?lock_days=36501", "has wrong lock_days"],
  ["s3://log?lock_days=1.5", "has wrong lock_days"],
  ["s3://log?lock_days=007", "has wrong lock_days"],
  ["s3://log?lock_days=", "has an empty parameter lock_days: leave it out for its default"],
  ["s3://log?days=1", 'has an unknown parameter "days": known are region, endpoint, lock_days'],
  ["s3://key:s3cret@log", "must not hold credentials"],
])("%s is refused, and the setting is named", (given, message) => {
  const read = () => parse(given);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`ANNALS_LOG_S3_URL ${message}`);
  expect(read).not.toThrow("(is ");
});
