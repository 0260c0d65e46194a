// The filters of a webhook in the order in which they were set. A change acts from the next event on: events
// that are stored before it and not queued yet are judged by the filter of their time. So earlier filters are
// kept until the cursor has passed them. Called by the fan-out, and when a filter is stored.

import { unavailable } from "@annals/errors";
import type { WebhookFilter } from "./webhook-filter.ts";
import { type ErasedValues, excludesLess, withoutErased } from "./without-erased.ts";

/** A filter, and the position of the event after which it acts. Null: all events. */
interface FilterFrom {
  readonly after: bigint;
  readonly filter: WebhookFilter | null;
}

/** The columns of a webhook that have its filters. */
export interface FilterColumns {
  /** JSON text. */
  readonly filter: string | null;
  readonly filter_after: string;
  /** JSON text of an array, ascending. */
  readonly earlier_filters: string | null;
}

/** Maximum earlier filters of a webhook. */
const MAX_EARLIER = 10;
/** Seconds after which a client may retry: some events are queued by then. */
const RETRY_AFTER_S = 5;

/** The filters, ascending. There is at least one. */
export type FilterHistory = readonly [FilterFrom, ...FilterFrom[]];

export function historyOf(row: FilterColumns): FilterHistory {
  const current = { after: BigInt(row.filter_after), filter: filterOf(row) };
  const earlier = JSON.parse(row.earlier_filters ?? "[]") as StoredFilter[];
  const [first, ...others] = earlier.map(({ after, filter }) => ({ after: BigInt(after), filter }));
  return first ? [first, ...others, current] : [current];
}

interface StoredFilter {
  readonly after: string;
  readonly filter: WebhookFilter | null;
}

/** The filter that a client has set last. */
export function filterOf({ filter }: Pick<FilterColumns, "filter">): WebhookFilter | null {
  return filter === null ? null : (JSON.parse(filter) as WebhookFilter);
}

export function columnsOf(history: FilterHistory): FilterColumns {
  const current = history.at(-1) ?? history[0];
  const earlier = history
    .slice(0, -1)
    .map(({ after, filter }) => ({ after: String(after), filter }));
  return {
    filter: current.filter && JSON.stringify(current.filter),
    filter_after: String(current.after),
    earlier_filters: earlier.length === 0 ? null : JSON.stringify(earlier),
  };
}

/** The filter that judges the event at a position. */
export function filterAt(history: FilterHistory, position: bigint): WebhookFilter | null {
  return (history.findLast(({ after }) => after < position) ?? history[0]).filter;
}

/**
 * Adds a filter that acts after the event at `head`. An earlier filter is left out if it judges only events
 * up to `cursor`. Throws `unavailable` if too many are left.
 */
export function changedFilter(
  history: FilterHistory,
  filter: WebhookFilter | null,
  { cursor, head }: { readonly cursor: bigint; readonly head: bigint },
): FilterHistory {
  const after = history.reduce((last, one) => (one.after > last ? one.after : last), head);
  const all = [...history, { after, filter }];
  const earlier = history.filter((one, index) => {
    const end = all[index + 1]?.after ?? after;
    return end > cursor && end > one.after;
  });
  if (earlier.length > MAX_EARLIER) {
    const message = "The filter was changed too often: events from before are still to be queued.";
    throw unavailable(message, undefined, RETRY_AFTER_S);
  }
  const [first, ...others] = earlier;
  return first ? [first, ...others, { after, filter }] : [{ after, filter }];
}

/**
 * The filters without the values of an erased actor or target, and whether one of them leaves out less by
 * that. Undefined if no filter names them.
 */
export function withoutErasedValues(
  history: FilterHistory,
  erased: ErasedValues,
): { readonly history: FilterHistory; readonly excludesLess: boolean } | undefined {
  const clear = (one: FilterFrom): FilterFrom => ({
    ...one,
    filter: one.filter && withoutErased(one.filter, erased),
  });
  const [first, ...others] = history;
  const left: FilterHistory = [clear(first), ...others.map(clear)];
  if (left.every(({ filter }, index) => filter === history[index]?.filter)) return undefined;
  const isLess = left.some(({ filter }, index) => {
    const before = history[index]?.filter;
    return before && excludesLess(filter, before);
  });
  return { history: left, excludesLess: isLess };
}
