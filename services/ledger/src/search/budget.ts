// What one page of a list may read. Called by the searches, which charge every statement, and by the
// readers of pages, which end a page where the budget is spent. What a page returns is bounded elsewhere.

/** The cost of a row that a statement reads in order, about a microsecond of CPU in all services, is 1. */
const STATEMENT_COST = 250;
const POSTING_COST = 4;
const ORDINALS_PER_ROW = 8;

export class Budget {
  #left: number;

  /** Rows; Infinity: no bound. */
  constructor(rows: number) {
    this.#left = rows;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** A statement that read so many rows. */
  spend(rows: number): void {
    this.#left -= STATEMENT_COST + rows;
  }

  /** A statement that read postings of the filter index, with so many ordinals in all. */
  spendPostings(postings: number, ordinals: number): void {
    this.spend(postings * POSTING_COST + ordinals / ORDINALS_PER_ROW);
  }
}
