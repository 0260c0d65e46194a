// The rules for the members of a webhook (interface 9.1). Called by create and update.

import {
  EVENT_PATTERNS,
  MAX_FILTER_VALUE_LENGTH,
  MAX_FILTER_VALUES,
  MAX_WEBHOOK_FILTER_BYTES,
} from "@annals/contract";
import { invalid, notFound } from "@annals/errors";
import type {
  WebhookFilter as GivenFilter,
  WebhookFilterSchema,
} from "@annals/proto/webhook-filters";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { FILTER_MEMBERS, type FilterMember, type WebhookFilter } from "./rules/webhook-filter.ts";
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

/**
 * Returns a filter with each value once, in the same order; null if it has no member. Throws `invalid` for a
 * member without values, for too many of them, and for one that no event can have.
 */
export function checkFilter(given: GivenFilter | undefined): WebhookFilter | null {
  const members = FILTER_MEMBERS.flatMap((member) => {
    const values = given?.[FIELDS[member]]?.values;
    return values ? [[member, checkValues(`filter.${member}`, values)] as const] : [];
  });
  if (members.length === 0) return null;
  const filter = Object.fromEntries(members);
  if (Buffer.byteLength(JSON.stringify(filter)) > MAX_WEBHOOK_FILTER_BYTES) {
    const message = `must have at most ${MAX_WEBHOOK_FILTER_BYTES} bytes as JSON`;
    throw invalid({ field: "filter", message });
  }
  return filter;
}

const FIELDS = {
  action: "action",
  actor_id: "actorId",
  actor_type: "actorType",
  target_id: "targetId",
  target_type: "targetType",
} as const satisfies Readonly<Record<FilterMember, keyof GivenFilter>>;

function checkValues(field: string, values: readonly string[]): string[] {
  const { length } = values;
  if (length === 0) throw invalid({ field, message: "must have at least 1 item" });
  if (length > MAX_FILTER_VALUES) {
    throw invalid({ field, message: `must have at most ${MAX_FILTER_VALUES} items` });
  }
  for (const [index, value] of values.entries()) {
    const fault = faultOf(value);
    if (fault !== undefined) throw invalid({ field: `${field}[${index}]`, message: fault });
  }
  return [...new Set(values)];
}

function faultOf(value: string): string | undefined {
  if (value === "") return "must have at least 1 character";
  if (Array.from(value).length > MAX_FILTER_VALUE_LENGTH) {
    return `must have at most ${MAX_FILTER_VALUE_LENGTH} characters`;
  }
  return value.includes("\0") ? "must not contain the character U+0000" : undefined;
}

/** The member of a message that has a filter; nothing without one. */
export function filterMember(filter: WebhookFilter | null): {
  readonly filter?: MessageInitShape<typeof WebhookFilterSchema>;
} {
  if (filter === null) return {};
  const members = FILTER_MEMBERS.flatMap((member) => {
    const values = filter[member];
    return values ? [[FIELDS[member], { values: [...values] }] as const] : [];
  });
  return { filter: Object.fromEntries(members) };
}
