// Guarantee: the URL of a bucket is read in full, and each fault says which part of it is wrong and what to
// write.

import { expect, test } from "vitest";
import { parseS3Url } from "./s3-url.ts";

test("a bucket alone is one of AWS in us-east-1", () => {
  const location = { bucket: "exports", prefix: "", region: "us-east-1", endpoint: undefined };
  for (const given of ["s3://exports", "s3://exports/", "s3://exports?", "s3://exports/?"])
    expect(parseS3Url(given), given).toStrictEqual({ ...location, parameters: {} });
});

test("a prefix, a region, an endpoint and a parameter of the setting are read", () => {
  const url =
    "s3://a.b-1/annals/eu=1?region=eu-central-1&endpoint=https%3A%2F%2Fs3.example%3A9000%2Fs3&lock_days=7";
  const location = parseS3Url(url, ["lock_days"]);
  expect(location).toStrictEqual({
    bucket: "a.b-1",
    prefix: "annals/eu=1/",
    region: "eu-central-1",
    endpoint: "https://s3.example:9000/s3",
    parameters: { lock_days: "7" },
  });
  // An endpoint needs no escapes, and a prefix may end in its slash.
  expect(parseS3Url("s3://abc/d/?endpoint=http://127.0.0.1:9000")).toMatchObject({
    prefix: "d/",
    endpoint: "http://127.0.0.1:9000",
  });
});

test.each([
  ["https://bucket.example/", "must be a URL such as s3://bucket/prefix?region=eu-central-1"],
  ["S3://exports", "must be a URL such as s3://"],
  ["s3:/exports", "must be a URL such as s3://"],
  ["s3://exports#a", "without a #"],
  ["s3://exports?region=a#b", "without a #"],
  ["s3://AKIA:s3cret@exports", "must not hold credentials"],
  ["s3://exports:9000", "must not have a port: name the server by endpoint=https://host:port"],
  ["s3://", "must name a bucket by 3 to 63"],
  ["s3:///prefix", "must name a bucket by 3 to 63"],
  ["s3://ab", "must name a bucket by 3 to 63"],
  [`s3://${"a".repeat(64)}`, "must name a bucket by 3 to 63"],
  ["s3://Exports", "must name a bucket by 3 to 63"],
  ["s3://my_bucket", "must name a bucket by 3 to 63"],
  ["s3://-exports", "must name a bucket by 3 to 63"],
  ["s3://a..b", "must name a bucket by 3 to 63"],
  ["s3://10.0.0.1", "must name a bucket by 3 to 63"],
  ["s3://exports//a", "has a wrong prefix"],
  ["s3://exports/a b", "has a wrong prefix"],
  ["s3://exports/a%2Fb", "has a wrong prefix"],
  ["s3://exports/../a", "has a wrong prefix"],
  ["s3://exports/./a", "has a wrong prefix"],
  ["s3://exports?regoin=a", 'has an unknown parameter "regoin": known are region, endpoint'],
  ["s3://exports?access_key_id=a", 'has an unknown parameter "access_key_id"'],
  ["s3://exports?region=a&region=b", "has the parameter region twice"],
  ["s3://exports?region", "has an empty parameter region"],
  ["s3://exports?endpoint=", "has an empty parameter endpoint"],
  ["s3://exports?region=EU", "has a wrong region"],
  [`s3://exports?region=${"a".repeat(64)}`, "has a wrong region"],
  ["s3://exports?endpoint=s3.example", "has a wrong endpoint"],
  ["s3://exports?endpoint=ftp://s3.example", "has a wrong endpoint"],
  ["s3://exports?endpoint=https://a:b@s3.example", "has a wrong endpoint"],
  ["s3://exports?endpoint=https://s3.example?a=b", "has a wrong endpoint"],
  ["s3://exports?endpoint=https://s3.example%23a", "has a wrong endpoint"],
])("%s is refused: %s", (url, message) => {
  expect(() => parseS3Url(url)).toThrow(message);
});

test("the names at the limits are taken", () => {
  const [bucket, region] = ["a".repeat(63), "b".repeat(63)];
  expect(parseS3Url(`s3://${bucket}?region=${region}`)).toMatchObject({ bucket, region });
  expect(parseS3Url("s3://abc?region=a")).toMatchObject({ bucket: "abc", region: "a" });
});
