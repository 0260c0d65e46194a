// What is wrong with one event that was read: its chain, its digests, what is erased, its hash. Called by
// check-line.ts for exports, and by evidence/check-events.ts. It must never take a part as erased that has a
// value or a salt.

import { leafHash, leafText, type Part, partDigest, PARTS } from "@annals/event";
import type { ReadEvent } from "./read-event.ts";

export interface EventFault {
  readonly reason: "chain_mismatch" | "digest_mismatch" | "erased_value_present" | "hash_mismatch";
  /** Undefined if it is not one of a part. */
  readonly part?: Part;
}

const NO_PART = "{}";

/** The first fault. `chain` is the chain that the event must belong to; by default any. */
export function eventFault(event: ReadEvent, chain: string | undefined): EventFault | undefined {
  const { digests, erased, parts, salts } = event;
  if (chain !== undefined && event.chain !== chain) return { reason: "chain_mismatch" };
  for (const part of PARTS) {
    const salt = salts[part];
    if (erased.has(part)) continue;
    if (salt === undefined || !partDigest(salt, parts[part]).equals(digests[part]))
      return { reason: "digest_mismatch", part };
  }
  for (const part of erased)
    if (salts[part] !== undefined || parts[part] !== NO_PART)
      return { reason: "erased_value_present", part };
  return hashOf(event) === event.hash ? undefined : { reason: "hash_mismatch" };
}

/** Undefined if the members cannot make a leaf. */
function hashOf({ digests, ...event }: ReadEvent): string | undefined {
  try {
    const run = Buffer.concat(PARTS.map((part) => digests[part]));
    return leafHash(leafText({ ...event, digests: run }));
  } catch {
    return undefined;
  }
}
