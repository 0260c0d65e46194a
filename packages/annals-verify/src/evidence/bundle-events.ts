// Step 3 of the verification: each event of a bundle by itself, in its chain, and at its place in the tree.
// Called by verify-evidence.ts, which gets the events one by one and keeps none of them.

import { GENESIS_HASH, leafHash, leafText, partDigest, PARTS } from "@annals/event";
import { asFault, type BundleFiles } from "./bundle-files.ts";
import type { BundleTree } from "./bundle-tree.ts";
import { EvidenceFault, type EvidenceReason } from "./evidence-fault.ts";
import { type BundleEvent, readEvent } from "./read-event.ts";

const EVENTS = "events.jsonl";
const NO_PART = "{}";

/** What the walk along the chain has seen. */
export interface Walk {
  events: number;
  linksUnchecked: number;
}

/** The events, each after its checks. Throws EvidenceFault at the first that is not valid. */
export async function* bundleEvents(
  files: BundleFiles,
  tree: BundleTree,
  walk: Walk,
): AsyncGenerator<BundleEvent> {
  const { bundle } = files;
  let last: BundleEvent | undefined;
  for await (const { bytes, line } of files.lines(EVENTS)) {
    const where = `${EVENTS} line ${line}`;
    const event = asFault("file_malformed", where, () => readEvent(bytes));
    const fault = (reason: EvidenceReason, message: string): EvidenceFault =>
      new EvidenceFault(reason, `${where}: sequence number ${event.sequenceNumber}: ${message}`);
    if (event.chain !== bundle.chain) throw fault("chain_mismatch", "is of another chain");
    const gap = orderFault(event, last, bundle);
    if (gap !== undefined) throw fault("sequence_gap", gap);
    checkParts(event, fault);
    if (hashOf(event) !== event.hash) throw fault("hash_mismatch", "its hash is another one");
    checkLink(event, last, tree, walk, fault);
    if (tree.leaf(event.sequenceNumber) !== event.hash)
      throw fault("inclusion_mismatch", "its hash is not at its place in the tree");
    walk.events += 1;
    last = event;
    yield event;
  }
  if (last === undefined) throw new EvidenceFault("sequence_gap", "there is not one event");
  if (!bundle.isFiltered && last.sequenceNumber !== bundle.to)
    throw new EvidenceFault("sequence_gap", `the events end before ${bundle.to}`);
}

function orderFault(
  { sequenceNumber }: BundleEvent,
  last: BundleEvent | undefined,
  { from, isFiltered, to }: BundleFiles["bundle"],
): string | undefined {
  const expected = last === undefined ? from : last.sequenceNumber + 1;
  if (sequenceNumber < expected) return "is out of order";
  if (!isFiltered && sequenceNumber !== expected) return `${expected} is missing before it`;
  return sequenceNumber > to ? `is beyond the range, which ends at ${to}` : undefined;
}

function checkParts(
  { digests, erased, parts, salts }: BundleEvent,
  fault: (reason: EvidenceReason, message: string) => EvidenceFault,
): void {
  for (const part of PARTS) {
    const salt = salts[part];
    if (erased.has(part)) continue;
    if (salt === undefined || !partDigest(salt, parts[part]).equals(digests[part]))
      throw fault("digest_mismatch", `${part} is not what was hashed`);
  }
  for (const part of erased)
    if (salts[part] !== undefined || parts[part] !== NO_PART)
      throw fault("erased_value_present", `${part} is erased, and has a value or a salt`);
}

function checkLink(
  { previousHash, sequenceNumber }: BundleEvent,
  last: BundleEvent | undefined,
  tree: BundleTree,
  walk: Walk,
  fault: (reason: EvidenceReason, message: string) => EvidenceFault,
): void {
  const before = previousOf(sequenceNumber, last, tree);
  if (before === undefined) walk.linksUnchecked += 1;
  else if (before !== previousHash)
    throw fault("link_mismatch", "does not link to the event before");
}

/** The link of the first event is taken from the tree; those over the gaps of a filter are not checked. */
function previousOf(
  sequenceNumber: number,
  last: BundleEvent | undefined,
  tree: BundleTree,
): string | undefined {
  if (sequenceNumber === 1) return GENESIS_HASH;
  if (last === undefined) return tree.leaf(sequenceNumber - 1);
  return last.sequenceNumber === sequenceNumber - 1 ? last.hash : undefined;
}

/** Undefined where the members cannot make a leaf. */
function hashOf({ digests, ...event }: BundleEvent): string | undefined {
  try {
    const run = Buffer.concat(PARTS.map((part) => digests[part]));
    return leafHash(leafText({ ...event, digests: run }));
  } catch {
    return undefined;
  }
}
