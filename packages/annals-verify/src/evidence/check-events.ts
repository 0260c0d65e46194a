// Step 3 of the verification, for each event by itself: its form, its digests, what is erased, its hash.
// Called by check-worker.ts, in the threads of check-pool.ts. bundle-events.ts checks order, link and place
// in the tree.

import { JsonFault } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import type { Records } from "../check-records.ts";
import { checkedEvent } from "../checked-event.ts";
import { eventFault } from "../event-fault.ts";
import { FastLines } from "../fast-line.ts";
import { type ReadEvent, readEvent } from "../read-event.ts";
import { recordOf } from "../records.ts";
import type { BundleEvent } from "./bundle-event.ts";
import type { EvidenceReason } from "./evidence-fault.ts";

export interface EventFault {
  readonly reason: EvidenceReason;
  readonly message: string;
  /** Undefined if the line could not be read. */
  readonly sequenceNumber: number | undefined;
}

export interface CheckedEvents {
  /** The events before the first fault. */
  readonly events: readonly BundleEvent[];
  /** What is wrong with the line after them. */
  readonly fault: EventFault | undefined;
}

const MESSAGES: Readonly<Record<NonNullable<ReturnType<typeof eventFault>>["reason"], string>> = {
  chain_mismatch: "is of another chain",
  digest_mismatch: "is not what was hashed",
  erased_value_present: "is erased, and has a value or a salt",
  hash_mismatch: "its hash is another one",
};

/** Checks the records that it gets, up to the first fault. */
export function eventChecks(): (records: Records) => CheckedEvents {
  const fast = new FastLines();
  return (records) => {
    const events: BundleEvent[] = [];
    for (let at = 0; 2 * at < records.bounds.length; at += 1) {
      const line = recordOf(records, at);
      const chain = records.chain ?? "";
      // Lines that the service writes of events with all parts need no parser.
      const checked = fast.check(line, chain) ?? checkRead(line, chain);
      if ("reason" in checked) return { events, fault: checked };
      events.push(checked);
    }
    return { events, fault: undefined };
  };
}

function checkRead(line: Buffer, chain: string): BundleEvent | EventFault {
  let event: ReadEvent;
  try {
    event = readEvent(line);
  } catch (error) {
    if (!(error instanceof BadLine || error instanceof JsonFault)) throw error;
    return { reason: "file_malformed", message: error.message, sequenceNumber: undefined };
  }
  const { createdAt, sequenceNumber } = event;
  const fault = eventFault(event, chain);
  if (fault === undefined) return { ...checkedEvent(event), createdAt };
  const { part, reason } = fault;
  const message = [...(part === undefined ? [] : [part]), MESSAGES[reason]].join(" ");
  return { reason, message, sequenceNumber };
}
