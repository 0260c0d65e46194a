// Guarantee: exports are kept where ANNALS_EXPORT_STORAGE says. A value that is neither a folder nor a bucket
// does not start the service, and is not printed.

import { ConfigError, parseConfig } from "@annals/chassis";
import { expect, test } from "vitest";
import { SETTINGS } from "./config.ts";

const parse = (given: string) =>
  parseConfig({ storage: SETTINGS.storageLocation }, { ANNALS_EXPORT_STORAGE: given }).storage;

test("a path is a folder, and a URL a bucket", () => {
  expect(parse("")).toStrictEqual({ directory: "/var/lib/annals/exports" });
  expect(parse("/srv/exports")).toStrictEqual({ directory: "/srv/exports" });
  expect(parse("s3://exports/prod?region=eu-central-1")).toMatchObject({
    bucket: "exports",
    prefix: "prod/",
    region: "eu-central-1",
  });
});

test.each([
  ["exports", "must be the path of a folder, which begins with /, or s3://bucket/prefix"],
  ["S3://exports", "must be the path of a folder"],
  ["https://exports.example", "must be the path of a folder"],
  ["s3://exports?lock_days=1", 'has an unknown parameter "lock_days"'],
  ["s3://key:s3cret@exports", "must not hold credentials"],
])("%s is refused, and the setting is named", (given, message) => {
  const read = () => parse(given);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`ANNALS_EXPORT_STORAGE ${message}`);
  expect(read).not.toThrow("(is ");
});
