// Walks along the chain of an export, event by event: order, gaps and links. Called by verify-source.ts and
// verify-parquet.ts with events whose own hashes are checked. If a filter left events out, the link over the
// gap cannot be checked; such links are counted.

import { GENESIS_HASH } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import type { Manifest, Place } from "./manifest.ts";

export class ChainWalk {
  readonly #manifest: Manifest | undefined;
  #first: Place | undefined;
  #last: Place | undefined;
  events = 0;
  linksChecked = 0;
  linksUnchecked = 0;

  constructor(manifest: Manifest | undefined) {
    this.#manifest = manifest;
  }

  get first(): Place | undefined {
    return this.#first;
  }

  get last(): Place | undefined {
    return this.#last;
  }

  /** Adds the next event. Throws BadLine if it does not continue the chain. */
  take(event: Place): void {
    const { sequenceNumber } = event;
    const last = this.#last;
    if (last && sequenceNumber === last.sequenceNumber)
      throw new BadLine(`sequence number ${sequenceNumber}: appears twice`);
    if (last && sequenceNumber < last.sequenceNumber)
      throw new BadLine(
        `sequence number ${sequenceNumber}: out of order, it follows ${last.sequenceNumber}`,
      );
    this.#checkRange(sequenceNumber);
    this.#checkLink(event);
    this.#first ??= event;
    this.#last = event;
    this.events += 1;
  }

  #checkRange(sequenceNumber: number): void {
    if (!this.#manifest) return;
    const { range, isFiltered } = this.#manifest;
    if (sequenceNumber < range.from || sequenceNumber > range.to)
      throw new BadLine(
        `sequence number ${sequenceNumber}: outside the range, ${range.from} to ${range.to}`,
      );
    const expected = this.#last ? this.#last.sequenceNumber + 1 : range.from;
    if (!isFiltered && sequenceNumber !== expected)
      throw new BadLine(
        `sequence_gap: sequence number ${expected} is missing before ${sequenceNumber}`,
      );
  }

  #checkLink({ sequenceNumber, previousHash }: Place): void {
    const last = this.#last;
    if (sequenceNumber === 1) this.#expect(sequenceNumber, previousHash, GENESIS_HASH);
    else if (last && last.sequenceNumber === sequenceNumber - 1)
      this.#expect(sequenceNumber, previousHash, last.hash);
    else this.linksUnchecked += 1;
  }

  #expect(sequenceNumber: number, previousHash: string, expected: string): void {
    if (previousHash !== expected)
      throw new BadLine(
        `link_mismatch: sequence number ${sequenceNumber} does not link to the event before`,
      );
    this.linksChecked += 1;
  }
}
