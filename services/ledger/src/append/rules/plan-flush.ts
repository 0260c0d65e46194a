// Plans a group of appends to one chain: which are replays of an earlier request, which are refused (also
// for the monthly quota of the account's plan), and what is stored, with sequence numbers, ids, leaves and
// hashes (docs/hash-chain.md). Called by flush.ts and append-record.ts. It is pure: the head, the known
// idempotency keys, the time and the random bytes are parameters.

import { atOnce } from "@annals/contract";
import { leafHash, leafText } from "@annals/event";
import { AnnalsError, invalid } from "@annals/errors";
import { eventId, ID_RANDOM_BYTES } from "../../events/rules/event-id.ts";
import { type Moment, timeAfter } from "./chain-time.ts";
import { monthOf, monthStartAt, type MonthState, secondsToNextMonth } from "./month.ts";
import {
  DIGESTS_BYTES,
  type NewEvent,
  prepareAppend,
  type PreparedAppend,
} from "./prepare-append.ts";
import { clockRecord } from "./record-events.ts";

export interface Head extends MonthState {
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
  /** Times in UTC with six fraction digits. */
  readonly moment: Moment;
  readonly random: (size: number) => Uint8Array;
}

/** What is planned so far. */
interface Planned {
  head: Head;
  /** The record of a step, until something follows it. */
  step: PreparedAppend | undefined;
  isOverQuota: boolean;
  readonly known: Map<string, KnownRequest>;
  readonly events: ChainedEvent[];
  readonly appends: PreparedAppend[];
  readonly remembered: Remembered[];
}

export function planFlush(input: PlanInput): Plan {
  const { head: before, moment } = input;
  const { createdAt, isStep } = timeAfter(before.createdAt, moment);
  const planned: Planned = {
    head: { ...before, createdAt, monthStart: monthStartAt(before, createdAt) },
    step: isStep ? stepRecord(input, createdAt) : undefined,
    isOverQuota: false,
    known: new Map(input.known),
    events: [],
    appends: [],
    remembered: [],
  };
  const outcomes = input.appends.map((append) => planAppend(input, planned, append));
  const { appends, events, head, isOverQuota, remembered } = planned;
  const after = events.length > 0 ? head : before;
  return { outcomes, before, after, createdAt, events, appends, remembered, isOverQuota };
}

function planAppend(
  input: PlanInput,
  planned: Planned,
  append: PreparedAppend,
): PromiseSettledResult<Stored | Replayed> {
  const { idempotencyKey, requestSha256 } = append;
  const earlier = idempotencyKey === "" ? undefined : planned.known.get(idempotencyKey);
  if (earlier) return repeated(append, earlier);
  const refusal = overQuota(planned.head, append, input.moment.now);
  if (refusal) {
    planned.isOverQuota = true;
    return { status: "rejected", reason: refusal };
  }
  if (planned.step) {
    chain(input, planned, planned.step);
    planned.step = undefined;
  }
  const { createdAt, hash, sequence } = planned.head;
  const chained = chain(input, planned, append);
  const stored: Stored = {
    outcome: "stored",
    firstSequence: sequence + 1,
    createdAt,
    ids: chained.map(({ id }) => id),
    hashes: [hash, ...chained.map((event) => event.hash)],
  };
  if (idempotencyKey !== "") {
    const request = {
      requestSha256,
      firstSequence: stored.firstSequence,
      eventCount: chained.length,
    };
    planned.known.set(idempotencyKey, request);
    planned.remembered.push({ idempotencyKey, ...request });
  }
  return { status: "fulfilled", value: stored };
}

/** Adds the events of an append to the plan. */
function chain(input: PlanInput, planned: Planned, append: PreparedAppend): ChainedEvent[] {
  const { head } = planned;
  const chained = chainEvents(input, head, append);
  planned.head = {
    ...head,
    sequence: head.sequence + chained.length,
    hash: chained.at(-1)?.hash ?? head.hash,
    // The month's events are those between its start and the head.
    monthStart: head.monthStart + (append.isUncounted ? chained.length : 0),
  };
  planned.events.push(...chained);
  planned.appends.push(append);
  return chained;
}

/** Says in the chain that its times step back. It takes nothing of the quota. */
function stepRecord({ accountId, head, random }: PlanInput, createdAt: string): PreparedAppend {
  const record = clockRecord({ headTime: head.createdAt, replicaTime: createdAt });
  const append = {
    accountId,
    receivedAt: createdAt,
    idempotencyKey: "",
    requestSha256: new Uint8Array(),
    isUncounted: true,
    events: [{ ...record, occurredAt: createdAt }],
  };
  return atOnce(prepareAppend(append, random));
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
        createdAt: head.createdAt,
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
  now: string,
): AnnalsError | undefined {
  if (monthlyQuota === undefined) return undefined;
  const left = Math.max(0, monthlyQuota - (head.sequence - head.monthStart));
  if (events.length <= left) return undefined;
  const month = monthOf(head.createdAt);
  return new AnnalsError(
    "plan_quota_exceeded",
    `The plan allows ${monthlyQuota} events per calendar month (UTC); ${left} left in ${month}.`,
    { retryAfterS: secondsToNextMonth(month, now) },
  );
}

function repeated(append: PreparedAppend, earlier: KnownRequest): PromiseSettledResult<Replayed> {
  if (Buffer.compare(append.requestSha256, earlier.requestSha256) !== 0) {
    const reason = invalid({
      field: "Idempotency-Key",
      message: "was used for another request; send a new key with a new request",
    });
    return { status: "rejected", reason };
  }
  const { firstSequence, eventCount } = earlier;
  return { status: "fulfilled", value: { outcome: "replayed", firstSequence, eventCount } };
}
