// Months in UTC, as the quota of a plan counts them: which month it is, how many events of it a chain has,
// and how long it is until the next. It is pure; the time is the text that becomes created_at.

import { formatMicros } from "@annals/contract";

/** The month that a chain is in, and where the month begins in the chain. */
export interface MonthState {
  /** YYYY-MM; empty before the first append. */
  readonly month: string;
  /** Sequence number of the last event before the month, plus the events of the month that do not count. */
  readonly monthStart: number;
}

const MONTH_LENGTH = "2026-01".length;

/**
 * The state in which a chain that ends at `sequence` takes an append made at `createdAt`. If the clock of a
 * ledger is behind that of the ledger that began a month, it counts in that month, so that no month begins
 * twice.
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
  // Date counts months from 0, so the number of this month is that of the next.
  const next = Date.UTC(year, number);
  return Math.max(1, Math.ceil((next - Date.parse(createdAt)) / 1_000));
}

/** The month of a time, such as 2026-01. */
export function monthOf(time: string): string {
  return time.slice(0, MONTH_LENGTH);
}

/** When the month after a month begins, as the times of events are written. */
export function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return formatMicros(Date.UTC(year, number) * 1_000);
}
