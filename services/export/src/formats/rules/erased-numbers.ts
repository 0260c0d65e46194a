// What records of erasures name of a range of events: the parts of each, as the bits of events.erased. A byte
// for each event of the range, however many records there are. Called by archives/settle-archives.ts.

import { ERASURE, erasedBits, recordedRanges } from "@annals/event";

export class ErasedNumbers {
  readonly #from: number;
  readonly #bits: Uint8Array;
  /** Whether no event of the range is named. */
  isEmpty = true;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#bits = new Uint8Array(to - from + 1);
  }

  /** Takes a record as a line of the ledger has it. */
  take(line: string): void {
    const { action, metadata, sequence_number: number } = JSON.parse(line);
    if (action !== ERASURE) return;
    const { parts, ranges } = recordedRanges({ action, metadata }, number);
    const named = erasedBits(parts);
    for (const { from, to } of ranges) {
      const first = Math.max(from - this.#from, 0);
      const end = Math.min(to - this.#from + 1, this.#bits.length);
      for (let at = first; at < end; at += 1) {
        this.#bits[at] = (this.#bits[at] ?? 0) | named;
        this.isEmpty = false;
      }
    }
  }

  /** The parts of an event that are to go. */
  bitsOf(number: number): number {
    return this.#bits[number - this.#from] ?? 0;
  }
}
