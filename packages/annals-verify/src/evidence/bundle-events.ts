// Step 3 of the verification: the events of a bundle in their chain, and each at its place in the tree.
// Called by verify-evidence.ts, which gets the events one by one and keeps none of them. check-events.ts
// checks each event by itself, in other threads.

import { GENESIS_HASH } from "@annals/event";
import type { CheckPool } from "../check-pool.ts";
import { type BundleFiles, EVENTS } from "./bundle-files.ts";
import type { BundleTree } from "./bundle-tree.ts";
import type { BundleEvent } from "./bundle-event.ts";
import type { CheckedEvents } from "./check-events.ts";
import { EvidenceFault, type EvidenceReason } from "./evidence-fault.ts";

/** What the walk along the chain has seen. */
export interface Walk {
  readonly events: number;
  readonly linksUnchecked: number;
}

/** Lines that are being checked, and the number of the first one. */
interface Pending {
  readonly checked: Promise<CheckedEvents>;
  readonly line: number;
}

/** They come before the order of the events. */
const OF_THE_LINE: readonly EvidenceReason[] = ["file_malformed", "chain_mismatch"];

/** Gives each event to `take` after its checks. Throws EvidenceFault at the first that is not valid. */
export async function walkEvents(
  files: BundleFiles,
  tree: BundleTree,
  pool: CheckPool<CheckedEvents>,
  take: (event: BundleEvent) => void,
): Promise<Walk> {
  const walk = new EventWalk(files, tree, take);
  const pending: Pending[] = [];
  const { chain } = files.bundle;
  let fault: EvidenceFault | undefined;
  for await (const piece of files.pieces(EVENTS)) {
    // Lines before it may have a fault of their own.
    if (piece instanceof EvidenceFault) {
      fault = piece;
      break;
    }
    const checked = pool.check({ bytes: piece.bytes, bounds: piece.bounds, chain });
    // Awaited below; until then a failure would be an unhandled rejection.
    checked.catch(() => {});
    pending.push({ checked, line: piece.lines[0] ?? 0 });
    if (pending.length > pool.size) await walk.takeAll(pending.splice(0, 1));
  }
  await walk.takeAll(pending);
  if (fault !== undefined) throw fault;
  return walk.end();
}

class EventWalk {
  readonly #bundle: BundleFiles["bundle"];
  readonly #tree: BundleTree;
  readonly #take: (event: BundleEvent) => void;
  #last: BundleEvent | undefined;
  #events = 0;
  #linksUnchecked = 0;

  constructor({ bundle }: BundleFiles, tree: BundleTree, take: (event: BundleEvent) => void) {
    this.#bundle = bundle;
    this.#tree = tree;
    this.#take = take;
  }

  async takeAll(pending: readonly Pending[]): Promise<void> {
    for (const { checked, line } of pending) {
      const { events, fault } = await checked;
      for (const [at, event] of events.entries()) this.#next(event, line + at);
      if (fault === undefined) continue;
      const { message, reason, sequenceNumber } = fault;
      const where = `${EVENTS} line ${line + events.length}`;
      if (sequenceNumber === undefined) throw new EvidenceFault(reason, `${where}: ${message}`);
      const isFirst = OF_THE_LINE.includes(reason);
      if (!isFirst) this.#checkOrder(sequenceNumber, line + events.length);
      throw new EvidenceFault(reason, `${where}: sequence number ${sequenceNumber}: ${message}`);
    }
  }

  end(): Walk {
    const { isFiltered, to } = this.#bundle;
    if (this.#last === undefined) throw new EvidenceFault("sequence_gap", "there is not one event");
    if (!isFiltered && this.#last.sequenceNumber !== to)
      throw new EvidenceFault("sequence_gap", `the events end before ${to}`);
    return { events: this.#events, linksUnchecked: this.#linksUnchecked };
  }

  #next(event: BundleEvent, line: number): void {
    const { hash, previousHash, sequenceNumber } = event;
    this.#checkOrder(sequenceNumber, line);
    const before = this.#previousOf(sequenceNumber);
    if (before === undefined) this.#linksUnchecked += 1;
    else if (before !== previousHash)
      throw faultAt(line, event, "link_mismatch", "does not link to the event before");
    if (this.#tree.leaf(sequenceNumber) !== hash)
      throw faultAt(line, event, "inclusion_mismatch", "its hash is not at its place in the tree");
    this.#events += 1;
    this.#last = event;
    this.#take(event);
  }

  #checkOrder(sequenceNumber: number, line: number): void {
    const { from, isFiltered, to } = this.#bundle;
    const expected = this.#last === undefined ? from : this.#last.sequenceNumber + 1;
    const fault = (message: string) => faultAt(line, { sequenceNumber }, "sequence_gap", message);
    if (sequenceNumber < expected) throw fault("is out of order");
    if (!isFiltered && sequenceNumber !== expected) throw fault(`${expected} is missing before it`);
    if (sequenceNumber > to) throw fault(`is beyond the range, which ends at ${to}`);
  }

  /** The link of the first event is taken from the tree; those over the gaps of a filter are not checked. */
  #previousOf(sequenceNumber: number): string | undefined {
    if (sequenceNumber === 1) return GENESIS_HASH;
    if (this.#last === undefined) return this.#tree.leaf(sequenceNumber - 1);
    return this.#last.sequenceNumber === sequenceNumber - 1 ? this.#last.hash : undefined;
  }
}

function faultAt(
  line: number,
  { sequenceNumber }: Pick<BundleEvent, "sequenceNumber">,
  reason: EvidenceReason,
  message: string,
): EvidenceFault {
  const where = `${EVENTS} line ${line}: sequence number ${sequenceNumber}`;
  return new EvidenceFault(reason, `${where}: ${message}`);
}
