// Plans a group of appends to one chain: which are replays of an earlier request, which are refused (also for
// the monthly quota of the account's plan), and what is stored, with sequence numbers, ids, leaves and hashes
// (docs/hash-chain.md). Called by append/flush.ts. It is pure: the head, the known idempotency keys, the time
// and the random bytes are parameters.

import { leafHash, leafText } from "@annals/event";
import { AnnalsError, invalid } from "@annals/errors";
import { eventId, ID_RANDOM_BYTES } from "./event-id.ts";
import { monthAt, type MonthState, secondsToNextMonth } from "./month.ts";
import { DIGESTS_BYTES, type NewEvent, type PreparedAppend } from "./prepare-append.ts";

export interface Head extends MonthState {
  readonly sequence: number;
  /** Hash in lower-case hex. */
  readonly hash: string;
}

/** An idempotency key that is in use. */
export interface KnownRequest {
  readonly requestSha256: Uint8Array;
  readonly firstSequence: number;
  readonly eventCount: number;
}

export interface Stored {
  readonly outcome: "stored";
  readonly firstSequence: number;
  readonly createdAt: string;
  readonly ids: readonly string[];
  /** The hash before the first event, then the hash of each event, in lower-case hex. */
  readonly hashes: readonly string[];
}

export interface Replayed {
  readonly outcome: "replayed";
  readonly firstSequence: number;
  readonly eventCount: number;
}

export interface ChainedEvent {
  readonly event: NewEvent;
  readonly id: string;
  readonly receivedAt: string;
  readonly keyId: string | undefined;
  readonly hash: string;
}

export interface Remembered extends KnownRequest {
  readonly idempotencyKey: string;
}

export interface Plan {
  /** One outcome for each append. They are valid once the plan is stored. */
  readonly outcomes: readonly PromiseSettledResult<Stored | Replayed>[];
  readonly before: Head;
  readonly after: Head;
  readonly createdAt: string;
  readonly events: readonly ChainedEvent[];
  /** The appends of the events. */
  readonly appends: readonly PreparedAppend[];
  readonly remembered: readonly Remembered[];
  /** Whether an append was refused because the month's events are used up. */
  readonly isOverQuota: boolean;
}

export interface PlanInput {
  readonly accountId: string;
  readonly head: Head;
  readonly appends: readonly PreparedAppend[];
  readonly known: ReadonlyMap<string, KnownRequest>;
  /** Time in UTC with six fraction digits. */
  readonly createdAt: string;
  readonly random: (size: number) => Uint8Array;
}

export function planFlush(input: PlanInput): Plan {
  const known = new Map(input.known);
  const remembered: Remembered[] = [];
  const events: ChainedEvent[] = [];
  const appends: PreparedAppend[] = [];
  const month = monthAt(input.head, input.createdAt);
  let head: Head = { ...input.head, ...month };
  let isOverQuota = false;
  const outcomes = input.appends.map((append): PromiseSettledResult<Stored | Replayed> => {
    const { idempotencyKey, requestSha256 } = append;
    const earlier = idempotencyKey === "" ? undefined : known.get(idempotencyKey);
    if (earlier) return repeated(append, earlier);
    const refusal = overQuota(head, append, input.createdAt);
    if (refusal) {
      isOverQuota = true;
      return { status: "rejected", reason: refusal };
    }
    const chained = chainEvents(input, head, append);
    const stored: Stored = {
      outcome: "stored",
      firstSequence: head.sequence + 1,
      createdAt: input.createdAt,
      ids: chained.map(({ id }) => id),
      hashes: [head.hash, ...chained.map(({ hash }) => hash)],
    };
    head = {
      ...head,
      sequence: head.sequence + chained.length,
      hash: chained.at(-1)?.hash ?? head.hash,
      // The month's events are those between its start and the head.
      monthStart: head.monthStart + (append.isUncounted ? chained.length : 0),
    };
    events.push(...chained);
    appends.push(append);
    if (idempotencyKey !== "") {
      const request = {
        requestSha256,
        firstSequence: stored.firstSequence,
        eventCount: chained.length,
      };
      known.set(idempotencyKey, request);
      remembered.push({ idempotencyKey, ...request });
    }
    return { status: "fulfilled", value: stored };
  });
  return {
    outcomes,
    before: input.head,
    after: head,
    createdAt: input.createdAt,
    events,
    appends,
    remembered,
    isOverQuota,
  };
}

function chainEvents(input: PlanInput, head: Head, append: PreparedAppend): ChainedEvent[] {
  const random = input.random(append.events.length * ID_RANDOM_BYTES);
  let previousHash = head.hash;
  return append.events.map((event, index) => {
    const sequenceNumber = head.sequence + 1 + index;
    const id = eventId(
      sequenceNumber,
      random.subarray(index * ID_RANDOM_BYTES, (index + 1) * ID_RANDOM_BYTES),
    );
    const hash = leafHash(
      leafText({
        action: event.action,
        chain: input.accountId,
        createdAt: input.createdAt,
        digests: append.digests.subarray(index * DIGESTS_BYTES, (index + 1) * DIGESTS_BYTES),
        id,
        occurredAt: event.occurredAt,
        previousHash,
        receivedAt: append.receivedAt,
        sequenceNumber,
      }),
    );
    previousHash = hash;
    return { event, id, receivedAt: append.receivedAt, keyId: append.keyId, hash };
  });
}

/** A request that would exceed the quota is refused as a unit; a smaller one may still fit. */
function overQuota(
  head: Head,
  { events, monthlyQuota }: PreparedAppend,
  createdAt: string,
): AnnalsError | undefined {
  if (monthlyQuota === undefined) return undefined;
  const left = Math.max(0, monthlyQuota - (head.sequence - head.monthStart));
  if (events.length <= left) return undefined;
  return new AnnalsError(
    "plan_quota_exceeded",
    `The plan allows ${monthlyQuota} events per calendar month (UTC); ${left} left in ${head.month}.`,
    { retryAfterS: secondsToNextMonth(head.month, createdAt) },
  );
}

function repeated(append: PreparedAppend, earlier: KnownRequest): PromiseSettledResult<Replayed> {
  if (Buffer.compare(append.requestSha256, earlier.requestSha256) !== 0) {
    const reason = invalid({
      field: "Idempotency-Key",
      message:
        "was used for another request in the last 24 hours; send a new key with a new request",
    });
    return { status: "rejected", reason };
  }
  const { firstSequence, eventCount } = earlier;
  return { status: "fulfilled", value: { outcome: "replayed", firstSequence, eventCount } };
}
