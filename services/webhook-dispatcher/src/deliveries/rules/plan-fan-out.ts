// Which webhook receives which entry: each entry goes to each subscriber that starts before it, and an event
// only if its filter selects it. Called by the fan-out within the transaction that moves the cursor.

import {
  type FilterColumns,
  filterAt,
  type FilterHistory,
  historyOf,
} from "../../webhooks/rules/filter-history.ts";
import type { Kind } from "../../webhooks/rules/kinds.ts";
import type { Entry } from "./payload.ts";
import {
  type EventValues,
  type FieldPlace,
  placesOf,
  selectorOf,
  valuesOf,
  type WebhookFilter,
} from "../../webhooks/rules/webhook-filter.ts";

export interface Subscriber {
  readonly id: string;
  /** Position after which it receives entries. */
  readonly startsAfter: bigint;
  readonly filters: FilterHistory;
}

export function subscriberOf(
  row: FilterColumns & { readonly id: string; readonly starts_after: string },
): Subscriber {
  return { id: row.id, startsAfter: BigInt(row.starts_after), filters: historyOf(row) };
}

export interface PlannedDelivery {
  readonly webhookId: string;
  /** The ordinal of its entry, from 1. */
  readonly ordinal: number;
}

/** The values of fields that each event has, by its position. */
export type FieldValues = ReadonlyMap<bigint, NonNullable<EventValues["fields"]>>;

/** The fields that the filters of the subscribers read. */
export function fieldsOf(subscribers: readonly Subscriber[]): FieldPlace[] {
  const filters = subscribers.flatMap((each) => each.filters.map(({ filter }) => filter));
  return placesOf(filters.filter((filter) => filter !== null));
}

/**
 * Plans in the order of the entries, so that each webhook's queue begins with the oldest. `fields` has
 * those of {@link fieldsOf}.
 */
export function planFanOut(
  entries: readonly Entry[],
  subscribers: readonly Subscriber[],
  fields: FieldValues,
): PlannedDelivery[] {
  const selectors = new Map<WebhookFilter, ReturnType<typeof selectorOf>>();
  const selectorFor = (filter: WebhookFilter) => {
    const selector = selectors.get(filter) ?? selectorOf(filter);
    selectors.set(filter, selector);
    return selector;
  };
  return entries.flatMap((entry, index) => {
    let values: EventValues | undefined;
    const isReceived = ({ filters, startsAfter }: Subscriber): boolean => {
      if (entry.position <= startsAfter) return false;
      const filter = filterAt(filters, entry.position);
      if (filter === null) return true;
      const own = fields.get(entry.position);
      values ??= { ...valuesOf(entry.data ?? ""), ...(own && { fields: own }) };
      return selectorFor(filter)(values);
    };
    return subscribers.filter(isReceived).map(({ id }) => ({ webhookId: id, ordinal: index + 1 }));
  });
}

/** What each subscriber does not get of the entries after `after` up to `to`, which are gone. */
export function lostEntries(subscribers: readonly Subscriber[], after: bigint, to: bigint) {
  return subscribers.flatMap(({ id, startsAfter }) => {
    const first = (startsAfter > after ? startsAfter : after) + 1n;
    return first <= to ? [{ webhookId: id, first, last: to }] : [];
  });
}

/**
 * Throws if there is a gap among the entries after `after`: the missing one would never be delivered.
 * Checkpoints have gaps when the account has not grown; they only have to rise.
 */
export function checkPositions(kind: Kind, entries: readonly Entry[], after: bigint): void {
  let last = after;
  for (const { position } of entries) {
    const isNext = kind === "checkpoints" ? position > last : position === last + 1n;
    if (!isNext) throw new Error(`entry ${last + 1n} is missing: ${position} came instead`);
    last = position;
  }
}
