// The cursor of a list: where the next page begins, and a digest of its filters and order. Called by the
// routes that list. It is opaque to clients. A request with other filters is refused, because its pages would
// not form one list.

import { invalid } from "@annals/errors";
import { hash } from "node:crypto";

const FORMAT = /^1\.(\d{1,16})\.([0-9a-f]{16})$/;
/** Checked because Node ignores characters that are not base64. */
const BASE64 = /^[\w-]+$/;

/** `selection` says what is listed and in which order. */
export function makeCursor(lastSequence: bigint, selection: readonly unknown[]): string {
  return Buffer.from(`1.${lastSequence}.${digestOf(selection)}`).toString("base64url");
}

/** The sequence number after which the page begins. Throws `invalid`. */
export function readCursor(cursor: string, selection: readonly unknown[]): bigint {
  const [, sequence, digest] =
    FORMAT.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (sequence === undefined || !BASE64.test(cursor)) {
    throw invalid({ field: "cursor", message: "must be the next_cursor of an earlier page" });
  }
  if (digest !== digestOf(selection)) {
    throw invalid({
      field: "cursor",
      message: "was issued for other filters; send the same filters, or no cursor",
    });
  }
  return BigInt(sequence);
}

function digestOf(selection: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(selection)).slice(0, 16);
}
