// Step 3 of the verification, for each event by itself: its form, its digests, what is erased, its hash.
// Called by the threads of check-pool.ts. bundle-events.ts checks order, link and place in the tree.

import { JsonFault, leafHash, leafText, partDigest, PARTS } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import type { Records } from "../check-records.ts";
import { FastLines } from "../fast-line.ts";
import { recordOf } from "../records.ts";
import { type BundleEvent, ERASURE, RETENTION } from "./bundle-event.ts";
import type { EvidenceReason } from "./evidence-fault.ts";
import { type ReadEvent, readEvent } from "./read-event.ts";

export interface EventFault {
  readonly reason: EvidenceReason;
  readonly message: string;
  /** Undefined where the line could not be read. */
  readonly sequenceNumber: number | undefined;
}

export interface CheckedEvents {
  /** The events before the first fault. */
  readonly events: readonly BundleEvent[];
  /** What is wrong with the line after them. */
  readonly fault: EventFault | undefined;
}

const NO_PART = "{}";
const RECORD_ACTIONS: readonly string[] = [ERASURE, RETENTION];
const RECORDS_AS_JSON = RECORD_ACTIONS.map((action) => `"${action}"`);

/** Checks the records that it gets, up to the first fault. */
export function eventChecks(): (records: Records) => CheckedEvents {
  const fast = new FastLines();
  return (records) => {
    const events: BundleEvent[] = [];
    for (let at = 0; 2 * at < records.bounds.length; at += 1) {
      const checked = checkEvent(fast, recordOf(records, at), records.chain ?? "");
      if ("reason" in checked) return { events, fault: checked };
      events.push(checked);
    }
    return { events, fault: undefined };
  };
}

/** Lines that the service writes of events with all parts need no parser. */
function checkEvent(fast: FastLines, line: Buffer, chain: string): BundleEvent | EventFault {
  const seen = fast.check(line, chain);
  if (seen === undefined || RECORDS_AS_JSON.includes(seen.action)) return checkRead(line, chain);
  const { createdAt, hash, previousHash, sequenceNumber } = seen;
  return { sequenceNumber, createdAt, hash, previousHash };
}

function checkRead(line: Buffer, chain: string): BundleEvent | EventFault {
  let event: ReadEvent;
  try {
    event = readEvent(line);
  } catch (error) {
    if (!(error instanceof BadLine || error instanceof JsonFault)) throw error;
    return { reason: "file_malformed", message: error.message, sequenceNumber: undefined };
  }
  const { action, createdAt, erased, hash, metadata, previousHash, sequenceNumber } = event;
  const fault = faultOf(event, chain);
  if (fault !== undefined) return { reason: fault[0], message: fault[1], sequenceNumber };
  const isRecord = RECORD_ACTIONS.includes(action) && !erased.has("metadata");
  return {
    sequenceNumber,
    createdAt,
    hash,
    previousHash,
    ...(erased.size > 0 && { erased: [...erased] }),
    ...(isRecord && { record: { action, metadata } }),
  };
}

function faultOf(
  event: ReadEvent,
  chain: string,
): readonly [reason: EvidenceReason, message: string] | undefined {
  const { digests, erased, parts, salts } = event;
  if (event.chain !== chain) return ["chain_mismatch", "is of another chain"];
  for (const part of PARTS) {
    const salt = salts[part];
    if (erased.has(part)) continue;
    if (salt === undefined || !partDigest(salt, parts[part]).equals(digests[part]))
      return ["digest_mismatch", `${part} is not what was hashed`];
  }
  for (const part of erased)
    if (salts[part] !== undefined || parts[part] !== NO_PART)
      return ["erased_value_present", `${part} is erased, and has a value or a salt`];
  return hashOf(event) === event.hash ? undefined : ["hash_mismatch", "its hash is another one"];
}

/** Undefined where the members cannot make a leaf. */
function hashOf({ digests, ...event }: ReadEvent): string | undefined {
  try {
    const run = Buffer.concat(PARTS.map((part) => digests[part]));
    return leafHash(leafText({ ...event, digests: run }));
  } catch {
    return undefined;
  }
}
