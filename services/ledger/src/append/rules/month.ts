// Months in UTC, as the quota of a plan counts them: where the month of a time begins in a chain, and how
// long it is until the next. It is pure; the time is the text that becomes created_at.

import { formatMicros } from "@annals/contract";

const MONTH_LENGTH = "2026-01".length;

/** The end of a chain, as far as its months go. */
export interface MonthState {
  readonly sequence: number;
  /** That of the last event; empty before the first. */
  readonly createdAt: string;
  /** Sequence number of the last event before its month, plus the events of the month that do not count. */
  readonly monthStart: number;
}

/**
 * The last event before the month of `createdAt`. If that is before the month of the head, whose time was
 * wrong, the events of the wrong month count in it: where it began is no longer known.
 */
export function monthStartAt(head: MonthState, createdAt: string): number {
  return monthOf(createdAt) > monthOf(head.createdAt) ? head.sequence : head.monthStart;
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
