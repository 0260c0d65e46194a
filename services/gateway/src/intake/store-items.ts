// Stores the items of a body of intake, each as an append of its own, and says what became of them
// (docs/intake.md). Called by the routes of intake. Appends that wait together are one group, so all items of
// a body are stored in one transaction or a few. One item must never cost the others, and no item may be
// called stored before it is committed.

import { AnnalsError } from "@annals/errors";
import type { Work } from "@annals/contract";
import { type JsonObject, readJson } from "@annals/event";
import type { Deps } from "../deps.ts";
import type { IntakeResult, IntakeSource } from "./intake-reports.ts";
import { fitText } from "./fit-event.ts";
import type { IntakeItem, MappedEvent } from "./item.ts";
import type { Call, RouteResponse } from "../route.ts";
import { idempotency, INTAKE_PREFIX } from "../events/idempotency.ts";
import { monthlyQuota } from "../events/monthly-quota.ts";
import { type NewEvents, writtenEvents } from "../events/new-events.ts";

/** Refused items that the answer and the log name. */
const MAX_NAMED = 10;
const KEY_DIGITS = 32;
/** Members and levels of an event that was written already. */
const WRITTEN = { maxDepth: 512, maxValues: 1_000_000 };

/** An item whose event has passed the checks of the gateway. */
interface Prepared {
  readonly events: NewEvents;
  /** The name that its source has for it; empty if there is no such name. */
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  readonly isReduced: boolean;
}

export type PreparedItem = Prepared | Exclude<IntakeItem, { readonly event: unknown }>;

/** Maps what a body consists of, and writes the events. Yields after every item, and within large ones. */
export function* prepareItems<Part>(
  parts: readonly Part[],
  map: (part: Part) => Work<IntakeItem>,
  maxBytes: number,
): Work<PreparedItem[]> {
  const prepared: PreparedItem[] = [];
  for (const part of parts) {
    prepared.push(yield* prepareItem(yield* map(part), maxBytes));
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
  return ofContent(idempotencyKey, requestSha256);
}

const ofContent = (key: string, sha256: Uint8Array): string =>
  `${key}:${Buffer.from(sha256).toString("hex").slice(0, KEY_DIGITS)}`;

/** The key of an item among all of the account: no other API key, and no header, has the same. */
function fullKey(source: IntakeSource, keyId: string, key: string): string {
  return key === "" ? "" : fitText(`${INTAKE_PREFIX}${source}:${keyId}:${key}`);
}

/**
 * The same item under a key of its content, marked as one whose id another one has: its source sends what is
 * refused no more, so it would be lost. A retry has the same key.
 */
function* ofConflict({ events, idempotencyKey, ...item }: Prepared): Work<PreparedItem> {
  const [event] = readJson(events.bytes, WRITTEN) as JsonObject[];
  const { metadata, ...members } = event as unknown as MappedEvent;
  const marked = { ...members, metadata: { ...metadata, annals_conflict: true } };
  const key = ofContent(idempotencyKey, item.requestSha256);
  // It is as large as it was, and the mark more.
  const mapped = { event: marked, idempotencyKey: key, isReduced: item.isReduced };
  return yield* prepareItem(mapped, events.bytes.length + MARK_BYTES);
}

const MARK_BYTES = 64;

function isConflict(error: unknown): boolean {
  if (!(error instanceof AnnalsError) || error.kind !== "invalid") return false;
  return error.faults.some(({ field }) => field === "Idempotency-Key");
}

/** The fault of an event; undefined for a failure that has nothing to do with it. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof AnnalsError) || error.kind !== "invalid") return undefined;
  return error.faults
    .map(
      ({ field, message }) => `${field.replace(/^events\[0\]\.?/, "") || "the event"} ${message}`,
    )
    .join("; ");
}

type Counts = { -readonly [Name in keyof IntakeResult]: IntakeResult[Name] };

/** Stores one item: if another one has its id, under a key of its content. */
async function storeItem(
  { appends, turns }: Pick<Deps, "appends" | "turns">,
  source: IntakeSource,
  item: PreparedItem,
  call: StoreCall,
): Promise<{ readonly replayed: boolean; readonly isReduced: boolean } | Unprepared> {
  if (!("events" in item)) return item;
  const { admission, receivedAt } = call;
  const { accountId, keyId, statement } = admission;
  const request = { accountId, statement, receivedAt, ...monthlyQuota(admission) };
  const append = async ({ events, idempotencyKey, requestSha256 }: Prepared) => {
    const key = fullKey(source, keyId, idempotencyKey);
    const given = { ...request, events, idempotencyKey: key, requestSha256 };
    const { replayed } = await appends.append({ ...given, isReplayBrief: true });
    return { replayed, isReduced: item.isReduced };
  };
  try {
    return await append(item);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const marked = await turns.run(accountId, ofConflict(item));
    return "events" in marked ? append(marked) : marked;
  }
}

type StoreCall = Pick<Call<never, never, never, never>, "admission" | "receivedAt">;
type Unprepared = Exclude<PreparedItem, Prepared>;

/**
 * Rejects with the first failure that has nothing to do with an item, such as a quota that is used up: the
 * sender then sends all of them again, and what was stored is replayed. `ignored` says what was not read.
 */
export async function storeItems(
  deps: Pick<Deps, "appends" | "intake" | "turns">,
  source: IntakeSource,
  {
    ignored,
    items,
  }: { readonly items: readonly PreparedItem[]; readonly ignored?: string | undefined },
  call: StoreCall,
): Promise<IntakeResult> {
  const settled = await Promise.allSettled(
    items.map((item) => storeItem(deps, source, item, call)),
  );
  const firstRejections: { index: number; reason: string }[] = [];
  const none = { stored: 0, replayed: 0, reduced: 0, skipped: 0, rejected: 0 };
  const result: Counts = { ...none, firstRejections, ignored };
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
  deps.intake.report(source, call.admission, result);
  if (failures.length > 0) throw failures[0];
  return result;
}

export function renderResult(result: IntakeResult): RouteResponse {
  const { firstRejections, rejected, reduced, replayed, skipped, stored } = result;
  const counts = { stored, replayed, reduced, skipped, rejected };
  return { body: { data: { ...counts, first_rejections: firstRejections } } };
}
