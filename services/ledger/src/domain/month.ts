// Months of UTC as the quota of a plan counts them: which month it is, how many events of it a chain has,
// how long until the next. It is pure; the time is the text that becomes created_at.

/** Where a chain is in its month. */
export interface MonthState {
  /** YYYY-MM; empty before the first append. */
  readonly month: string;
  /** Sequence number of the last event before the month, plus the events of the month that do not count. */
  readonly monthStart: number;
}

const MONTH_LENGTH = "2026-01".length;

/**
 * The state in which a chain that ends at `sequence` takes an append made at `createdAt`. A ledger whose
 * clock is behind the one that began a month counts in that month: none is begun twice.
 */
export function monthAt(
  head: MonthState & { readonly sequence: number },
  createdAt: string,
): MonthState {
  const month = createdAt.slice(0, MONTH_LENGTH);
  if (month > head.month) return { month, monthStart: head.sequence };
  return { month: head.month, monthStart: head.monthStart };
}

/** Seconds, rounded up, from `createdAt` until the month after `month` begins; at least 1. */
export function secondsToNextMonth(month: string, createdAt: string): number {
  const [year = 0, number = 0] = month.split("-").map(Number);
  // Date counts months from 0, so that the number of this month names the next.
  const next = Date.UTC(year, number);
  return Math.max(1, Math.ceil((next - Date.parse(createdAt)) / 1_000));
}
