// What one page of a list may read. Called by the searches, which charge every statement, and by the
// readers of pages, which end a page when the budget is spent. What a page returns is bounded elsewhere.

/** Costs, in rows. A row that a statement reads in order takes about a microsecond of CPU in all services. */
const STATEMENT_COST = 250;
const PROBE_COST = 50;
const PLACES_PER_ROW = 8;
/** A part that is parsed, and each 128 bytes of parts. */
const PARSED_COST = 8;
const PART_BYTES_PER_ROW = 128;

export class Budget {
  #left: number;
  #textBytes: number;

  /** What may be read; Infinity: no bound. `textBytes` are those of parts in which a text is looked for. */
  constructor(rows: number, textBytes = Infinity) {
    this.#left = rows;
    this.#textBytes = textBytes;
  }

  get isSpent(): boolean {
    return this.#left <= 0 || this.#textBytes <= 0;
  }

  get textBytesLeft(): number {
    return this.#textBytes;
  }

  /** Charges a statement that read `rows` rows. */
  spend(rows: number): void {
    this.#left -= STATEMENT_COST + rows;
  }

  /** Charges a statement that looked for `fields` values in the parts of `events` events. */
  spendParts(fields: number, events: number, bytes: number): void {
    this.spend(events * (2 + fields * PARSED_COST) + (fields * bytes) / PART_BYTES_PER_ROW);
  }

  /** Charges a statement that read `rows` rows, and looked for a text in `bytes` of parts. */
  spendText(rows: number, bytes: number): void {
    this.spend(rows);
    this.#textBytes -= bytes;
  }

  /**
   * Charges a statement that probed blocks of the filter index for `probes` values, and read `places` of
   * them.
   */
  spendPlaces(probes: number, places: number): void {
    this.spend(probes * PROBE_COST + places / PLACES_PER_ROW);
  }
}
