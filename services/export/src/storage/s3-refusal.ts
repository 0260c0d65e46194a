// Which refusals of S3-compatible storage are final, and how an operator reads them. Called by s3-storage.ts.
// It must never take for final what a later attempt may change, such as an expired token or a broken upload.

import { S3ServiceException } from "@aws-sdk/client-s3";
import { StorageRefused } from "./storage.ts";

/** A header or an operation that the storage lacks, a missing right, a file that is too large. */
const FINAL_STATUSES: ReadonlySet<unknown> = new Set([400, 403, 405, 411, 413, 501]);

/** Codes with such a status that are about this attempt: its credentials, its clock, its way, its upload. */
const OF_ATTEMPT: ReadonlySet<string> = new Set([
  "BadDigest",
  "ExpiredToken",
  "ExpiredTokenException",
  "IncompleteBody",
  "InvalidPart",
  "RequestExpired",
  "RequestThrottled",
  "RequestTimeTooSkewed",
  "RequestTimeout",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TokenRefreshRequired",
  "XAmzContentChecksumMismatch",
  "XAmzContentSHA256Mismatch",
]);

/** Characters that are shown of the storage's own text. */
const MAX_SHOWN = 200;
/** Characters of it that are read. */
const MAX_READ = 4_096;

/** Throws the failure, as a {@link StorageRefused} with the storage's message if it is final. */
export function asRefusal(error: unknown): never {
  if (!(error instanceof S3ServiceException)) throw error;
  const { $metadata, message, name } = error;
  const status = $metadata.httpStatusCode;
  if (!FINAL_STATUSES.has(status) || OF_ATTEMPT.has(name)) throw error;
  throw new StorageRefused(
    `the storage refuses the file: ${status} ${shown(`${name}: ${message}`)}`,
  );
}

function shown(text: string): string {
  const characters = Array.from(
    text
      .slice(0, MAX_READ)
      .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
      .trim(),
  );
  const isLong = characters.length > MAX_SHOWN;
  return characters.slice(0, MAX_SHOWN).join("") + (isLong ? "…" : "");
}
