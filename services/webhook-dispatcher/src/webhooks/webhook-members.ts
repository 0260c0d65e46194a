// The rules for the members of a webhook (interface 9.1) but its filter. Called by create and update.

import { EVENT_PATTERNS } from "@annals/contract";
import { invalid, notFound } from "@annals/errors";
import { type AddressGuard, UrlFault } from "../outbound/address-guard.ts";

const KNOWN: ReadonlySet<string> = new Set(EVENT_PATTERNS);

/** Throws `not_found` for text that cannot be an id: PostgreSQL would refuse some of it. */
export function checkId(id: string): void {
  if (!/^wh_[0-9a-z]{1,64}$/.test(id)) throw notFound("webhook", id);
}

/**
 * Returns the patterns without duplicates, in the same order. Throws `invalid` for an empty list or an
 * unknown pattern.
 */
export function checkEvents(given: readonly string[]): string[] {
  const events = [...new Set(given)];
  if (events.length === 0) throw invalid({ field: "events", message: "must have at least 1 item" });
  const unknown = events.findIndex((pattern) => !KNOWN.has(pattern));
  if (unknown >= 0) {
    const message = `must be one of ${EVENT_PATTERNS.join(", ")}`;
    throw invalid({ field: `events[${unknown}]`, message });
  }
  return events;
}

/** Throws `invalid` for a URL that may not be delivered to. */
export function checkUrl(guard: AddressGuard, given: string): void {
  try {
    guard.readUrl(given);
  } catch (error) {
    if (error instanceof UrlFault) throw invalid({ field: "url", message: error.message });
    throw error;
  }
}
