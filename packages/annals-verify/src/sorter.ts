// Separates the events of an export from its header and its manifest, and checks that these two are in the
// right position. Called by verify-source.ts, piece by piece.

import { BYTE_ORDER_MARK } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import type { Checker } from "./checker.ts";
import { type Piece, recordOf } from "./records.ts";

export class Sorter {
  readonly #checker: Checker;
  /** Undefined once it was read. */
  #header: string | undefined;
  ended = false;
  /** Whether a byte order mark is before the header. */
  hasByteOrderMark = false;
  /** Set if a header or a manifest is in the wrong position. */
  fault: BadLine | undefined;
  /** The line of the last record. */
  line = 0;

  constructor(checker: Checker) {
    this.#checker = checker;
    this.#header = checker.header;
  }

  /** The events before the first invalid record. */
  eventsOf(piece: Piece): Piece {
    let from = 0;
    let to = 0;
    for (const [at, line] of piece.lines.entries()) {
      this.line = line;
      try {
        if (this.#isEvent(recordOf(piece, at))) to = at + 1;
        else if (!this.ended) from = to = at + 1;
      } catch (error) {
        if (!(error instanceof BadLine)) throw error;
        this.fault = error.at(line);
        break;
      }
    }
    const { bytes, bounds, lines } = piece;
    return { bytes, bounds: bounds.slice(2 * from, 2 * to), lines: lines.slice(from, to) };
  }

  /** Throws BadLine. */
  #isEvent(record: Buffer): boolean {
    if (this.ended) throw new BadLine("follows the manifest");
    if (this.#checker.manifestIn(record) !== undefined) {
      this.ended = true;
      return false;
    }
    const isHeader = this.#header !== undefined;
    if (isHeader && this.#withoutMark(record) !== this.#header)
      throw new BadLine("is not the header of an export with proofs");
    this.#header = undefined;
    return !isHeader;
  }

  /** One mark at most: another one belongs to the text. */
  #withoutMark(record: Buffer): string {
    const text = record.toString("utf8");
    this.hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK);
    return this.hasByteOrderMark ? text.slice(BYTE_ORDER_MARK.length) : text;
  }
}
