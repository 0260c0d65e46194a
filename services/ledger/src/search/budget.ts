// What one page of a list may read. Called by the searches, which charge every statement, and by the
// readers of pages, which end a page when the budget is spent. What a page returns is bounded elsewhere.

/** Costs, in rows. A row that a statement reads in order takes about a microsecond of CPU in all services. */
const STATEMENT_COST = 250;
const POSTING_COST = 4;
const ORDINALS_PER_ROW = 8;

export class Budget {
  #left: number;

  /** `rows` is the budget; Infinity: no bound. */
  constructor(rows: number) {
    this.#left = rows;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Charges a statement that read `rows` rows. */
  spend(rows: number): void {
    this.#left -= STATEMENT_COST + rows;
  }

  /** Charges a statement that read `postings` of the filter index, with `ordinals` in all. */
  spendPostings(postings: number, ordinals: number): void {
    this.spend(postings * POSTING_COST + ordinals / ORDINALS_PER_ROW);
  }
}
