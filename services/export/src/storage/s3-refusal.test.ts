// Guarantee: a file fails at once only for what no later attempt changes: a missing right, a header or an
// operation that the storage lacks, a size that it does not take. What is about the attempt alone, such as
// its credentials, its clock or a broken upload, and what is of the storage itself, is tried again.

import { S3ServiceException } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { asRefusal } from "./s3-refusal.ts";
import { StorageRefused } from "./storage.ts";

/** What a writer gets for the answer of a storage. */
function thrownFor(failure: unknown): unknown {
  try {
    return asRefusal(failure);
  } catch (error) {
    return error;
  }
}

const answer = (status: number | undefined, name: string, message = "no") =>
  new S3ServiceException({
    $fault: "client",
    $metadata: status === undefined ? {} : { httpStatusCode: status },
    message,
    name,
  });

test.each([
  [400, "InvalidRequest"],
  [400, "EntityTooLarge"],
  [403, "AccessDenied"],
  [405, "MethodNotAllowed"],
  [411, "MissingContentLength"],
  [413, "RequestEntityTooLarge"],
  [501, "NotImplemented"],
])("%i %s is final", (status, name) => {
  const thrown = thrownFor(answer(status, name));
  expect(thrown).toBeInstanceOf(StorageRefused);
  expect(String(thrown)).toBe(
    `StorageRefused: the storage refuses the file: ${status} ${name}: no`,
  );
});

test.each([
  [400, "BadDigest"],
  [400, "ExpiredToken"],
  [400, "IncompleteBody"],
  [400, "InvalidPart"],
  [400, "RequestTimeout"],
  [400, "TokenRefreshRequired"],
  [400, "XAmzContentChecksumMismatch"],
  [400, "XAmzContentSHA256Mismatch"],
  [403, "ExpiredTokenException"],
  [403, "RequestExpired"],
  [403, "RequestTimeTooSkewed"],
  [400, "RequestThrottled"],
  [400, "SlowDown"],
  [400, "Throttling"],
  [400, "ThrottlingException"],
  [404, "NoSuchBucket"],
  [404, "NoSuchUpload"],
  [408, "RequestTimeout"],
  [409, "OperationAborted"],
  [412, "PreconditionFailed"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [502, "BadGateway"],
  [503, "SlowDown"],
  [507, "InsufficientStorage"],
  [undefined, "Unknown"],
])("%s %s is tried again", (status, name) => {
  const failure = answer(status, name);
  expect(thrownFor(failure)).toBe(failure);
});

test("a storage that does not answer is tried again", () => {
  const failure = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  expect(thrownFor(failure)).toBe(failure);
});

test("200 characters of the storage's own text are shown, in one line", () => {
  const thrown = thrownFor(answer(403, "AccessDenied", `not\u0007\n\u202E here${"x".repeat(500)}`));
  const shown = String(thrown).replace("StorageRefused: the storage refuses the file: 403 ", "");
  expect(shown).toBe(`${"AccessDenied: not here".padEnd(200, "x")}…`);
});
