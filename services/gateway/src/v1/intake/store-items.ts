// Stores the items of a body of intake, each as an append of its own, and says what became of them
// (docs/intake.md). Called by the routes of intake. Appends that wait together are one group, so all items of
// a body are stored in one transaction or a few. One item must never cost the others, and no item may be
// called stored before it is committed.

import { AnnalsError } from "@annals/errors";
import { PIECE_BYTES, type Work } from "@annals/contract";
import type { Deps } from "../../deps.ts";
import type { IntakeResult, IntakeSource } from "../../intake/intake-reports.ts";
import type { IntakeItem } from "../../intake/item.ts";
import type { Call, RouteResponse } from "../../route.ts";
import { idempotency } from "../events/idempotency.ts";
import { monthlyQuota } from "../events/monthly-quota.ts";
import { type NewEvents, writtenEvents } from "../events/new-events.ts";

/** Refused items that the answer and the log name. */
const MAX_NAMED = 10;
const KEY_DIGITS = 32;

/** An item whose event has passed the checks of the gateway. */
interface Prepared {
  readonly events: NewEvents;
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  readonly isReduced: boolean;
}

export type PreparedItem = Prepared | Exclude<IntakeItem, { readonly event: unknown }>;

/** Maps what a body consists of, and writes the events. Yields after every piece. `length` is in bytes. */
export function* prepareItems<Part extends { readonly length: number }>(
  parts: readonly Part[],
  map: (part: Part) => IntakeItem,
  maxBytes: number,
): Work<PreparedItem[]> {
  const prepared: PreparedItem[] = [];
  let bytes = 0;
  for (const part of parts) {
    prepared.push(yield* prepareItem(map(part), maxBytes));
    bytes += part.length;
    if (bytes < PIECE_BYTES) continue;
    bytes = 0;
    yield;
  }
  return prepared;
}

export function* prepareItem(item: IntakeItem, maxBytes: number): Work<PreparedItem> {
  if (!("event" in item)) return item;
  try {
    const events = yield* writtenEvents([item.event], {
      maxBytes,
      path: () => "",
    });
    const { requestSha256 } = idempotency(item.idempotencyKey, "event", events);
    return {
      events,
      idempotencyKey: keyOf(item, requestSha256),
      requestSha256,
      isReduced: item.isReduced === true,
    };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return { rejected: reason };
  }
}

function keyOf(
  { idempotencyKey = "", isKeyOfContent = false }: Extract<IntakeItem, { event: unknown }>,
  requestSha256: Uint8Array,
): string {
  if (!isKeyOfContent || idempotencyKey === "") return idempotencyKey;
  return `${idempotencyKey}:${Buffer.from(requestSha256).toString("hex").slice(0, KEY_DIGITS)}`;
}

/** The fault of an event; undefined for a failure that has nothing to do with it. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof AnnalsError) || error.kind !== "invalid") return undefined;
  if (error.faults.some(({ field }) => field === "Idempotency-Key"))
    return "has the id of an item of the last 24 hours, with other content";
  return error.faults
    .map(
      ({ field, message }) => `${field.replace(/^events\[0\]\.?/, "") || "the event"} ${message}`,
    )
    .join("; ");
}

type Counts = { -readonly [Name in keyof IntakeResult]: IntakeResult[Name] };

/**
 * Rejects with the first failure that has nothing to do with an item, such as a quota that is used up: the
 * sender then sends all of them again, and what was stored is replayed.
 */
export async function storeItems(
  { appends, intake }: Pick<Deps, "appends" | "intake">,
  source: IntakeSource,
  items: readonly PreparedItem[],
  { admission, receivedAt }: Pick<Call<never, never, never, never>, "admission" | "receivedAt">,
): Promise<IntakeResult> {
  const { accountId, statement } = admission;
  const settled = await Promise.allSettled(
    items.map(async (item) => {
      if (!("events" in item)) return item;
      const { events, idempotencyKey, isReduced, requestSha256 } = item;
      const request = { accountId, statement, receivedAt, ...monthlyQuota(admission) };
      const append = { ...request, events, idempotencyKey, requestSha256 };
      const { replayed } = await appends.append({ ...append, isReplayBrief: true });
      return { replayed, isReduced };
    }),
  );
  const firstRejections: { index: number; reason: string }[] = [];
  const none = { stored: 0, replayed: 0, reduced: 0, skipped: 0, rejected: 0 };
  const result: Counts = { ...none, firstRejections };
  const failures: unknown[] = [];
  const reject = (index: number, reason: string): void => {
    result.rejected += 1;
    if (firstRejections.length < MAX_NAMED) firstRejections.push({ index, reason });
  };
  for (const [index, outcome] of settled.entries()) {
    if (outcome.status === "rejected") {
      const reason = reasonOf(outcome.reason);
      if (reason === undefined) failures.push(outcome.reason);
      else reject(index, reason);
    } else if ("rejected" in outcome.value) reject(index, outcome.value.rejected);
    else if ("skipped" in outcome.value) result.skipped += 1;
    else if (outcome.value.replayed) result.replayed += 1;
    else {
      result.stored += 1;
      if (outcome.value.isReduced) result.reduced += 1;
    }
  }
  intake.report(source, admission, result);
  if (failures.length > 0) throw failures[0];
  return result;
}

export function renderResult({ firstRejections, ...counts }: IntakeResult): RouteResponse {
  return { body: { data: { ...counts, first_rejections: firstRejections } } };
}
