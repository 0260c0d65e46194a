// Reads the response of a `_bulk` request: which of its items are not stored, and why. Called by
// http-receiver.ts. An item with status 409 is stored already, by an earlier attempt: `create` with the id
// of the event writes each event once.

import { FINAL_STATUSES, type Refusal } from "../../rules/sink-refusals.ts";
import type { CapturedResponse } from "../../../outbound/exchange.ts";

/** The members that are read; the response has only these. */
export const BULK_FILTER = "errors,items.*.status,items.*.error.type,items.*.error.reason";
/** The response to 1,000 records that all failed has about half of it. */
export const MAX_BULK_RESPONSE_BYTES = 1024 * 1024;

const STORED_ALREADY = 409;
/** Beginning of a response, which says whether an item failed even if the rest is missing. */
const HEAD = /^\s*\{\s*(?:"(?:took|ingest_took)"\s*:\s*\d+\s*,\s*)*"errors"\s*:\s*(true|false)/;
const HEAD_BYTES = 1_024;

interface Item {
  readonly status?: unknown;
  readonly error?: { readonly type?: unknown; readonly reason?: unknown };
}

/** What was not stored, in words, and the first item of it, if all of them are refused for good. */
export interface BulkFailure {
  readonly reason: string;
  readonly refusal?: Omit<Refusal, "kind">;
}

/** Undefined: the response does not say whether the items are stored. */
export function readBulkResponse({
  body,
  isComplete,
}: CapturedResponse): "accepted" | BulkFailure | undefined {
  if (!isComplete) {
    const errors = HEAD.exec(body.toString("utf8", 0, HEAD_BYTES))?.[1];
    if (errors === undefined) return undefined;
    if (errors === "false") return "accepted";
    // The response to fewer items is read whole.
    const reason = "Some of the items failed";
    return { reason, refusal: { status: null, reason } };
  }
  const answer = parsed(body.toString("utf8"));
  if (answer?.errors === false) return "accepted";
  if (answer?.errors !== true || !Array.isArray(answer.items)) return undefined;
  const items = answer.items.map(itemOf);
  const failed = items.filter((item) => !isStored(item));
  const [first] = failed;
  if (first === undefined) return "accepted";
  const { error, status } = first;
  const reason = `${textOf(error?.type, "error")}: ${textOf(error?.reason, "without a reason")}`;
  const count = `${failed.length} of ${items.length} items failed`;
  const isFinal = failed.every((item) => FINAL_STATUSES.has(item.status));
  const refusal = { index: items.indexOf(first), status: Number(status), reason };
  return {
    reason: `${count}, the first with status ${String(status)}, ${reason}`,
    ...(isFinal && { refusal }),
  };
}

function parsed(text: string): { readonly errors?: unknown; readonly items?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An item is an object with one member, which names the operation. */
function itemOf(given: unknown): Item {
  const [item] = typeof given === "object" && given !== null ? Object.values(given) : [];
  return typeof item === "object" && item !== null ? item : {};
}

function textOf(value: unknown, absent: string): string {
  return typeof value === "string" ? value : absent;
}

function isStored({ status }: Item): boolean {
  if (typeof status !== "number") return false;
  return (status >= 200 && status < 300) || status === STORED_ALREADY;
}
