// The entries of the head log: canonical JSON (RFC 8785) with these members, in this order. The epoch closer
// makes them, and keys reads them before it signs. Nothing else is an entry.

import { HASH_BYTES } from "./hash.ts";
import { TlogError } from "./text/tlog-error.ts";

interface AnyEntry {
  /** Entry e - 1 of the log is epoch e. */
  readonly epoch: number;
  /** UTC with six fraction digits. */
  readonly time: string;
}

export type LogEntry = AnyEntry &
  (
    | { readonly kind: "heads"; readonly heads: Buffer }
    /** A key joins the log. */
    | { readonly kind: "key"; readonly key: string }
    /** The first entry of a log that follows another, whose last known head it names. */
    | {
        readonly kind: "succeeds";
        readonly origin: string;
        readonly size: number;
        readonly root: Buffer;
      }
  );

/** A key, or an origin, is at most this long. */
export const MAX_ENTRY_BYTES = 4_096;

const TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const HASH = /^[0-9a-f]{64}$/;

export function entryText(entry: LogEntry): string {
  const { epoch, kind, time } = entry;
  // The members stand in the order of RFC 8785, and JSON.stringify writes strings as it does.
  if (kind === "heads")
    return JSON.stringify({ epoch, heads: entry.heads.toString("hex"), kind, time, v: 1 });
  if (kind === "key") return JSON.stringify({ epoch, key: entry.key, kind, time, v: 1 });
  const { origin, root, size } = entry;
  return JSON.stringify({ epoch, kind, origin, root: root.toString("hex"), size, time, v: 1 });
}

/** Throws TlogError (entry_malformed) unless the text is what entryText makes. */
export function parseEntry(text: string): LogEntry {
  const entry = Buffer.byteLength(text) > MAX_ENTRY_BYTES ? undefined : entryOf(membersOf(text));
  if (entry === undefined || entryText(entry) !== text)
    throw new TlogError("entry_malformed", "is not an entry of a head log");
  return entry;
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function entryOf(members: Readonly<Record<string, unknown>>): LogEntry | undefined {
  const { epoch, heads, key, kind, origin, root, size, time } = members;
  if (!isCount(epoch) || typeof time !== "string" || !TIME.test(time)) return undefined;
  if (kind === "heads" && isHash(heads))
    return { epoch, time, kind, heads: Buffer.from(heads, "hex") };
  if (kind === "key" && typeof key === "string") return { epoch, time, kind, key };
  if (kind === "succeeds" && typeof origin === "string" && isCount(size) && isHash(root))
    return { epoch, time, kind, origin, size, root: Buffer.from(root, "hex") };
  return undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value) && value.length === 2 * HASH_BYTES;
}
