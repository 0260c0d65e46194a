// Sends appends to the ledger: those of one account that wait at the same time as one group. Called by the
// routes that create events. An append waits as the texts that the answer is made of, and never as the parsed
// body, which takes several times their bytes.

import { type EventText, PARTS } from "@annals/event";
import { Affinity, type BatcherMetrics, CALL_TIMEOUT_MS, KeyedBatcher } from "@annals/rpc";
import { fromProtoError, internal } from "@annals/errors";
import {
  type AppendOutcome,
  type AppendReceipt,
  type NewEvent,
  NewEventSchema,
} from "@annals/proto/ledger";
import { type AdmittedAppend, AppendCalls, type Ledger, type Ledgers } from "./append-calls.ts";
import { COPY_FIELDS, type NewEventRequest, NO_MEMBERS } from "./new-event.ts";

/** All the events of one request. */
export interface AppendRequest {
  readonly accountId: string;
  readonly receivedAt: string;
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  readonly events: readonly NewEventRequest[];
  readonly monthlyQuota?: bigint;
  /** Of the admission of the request. */
  readonly statement: string;
}

export interface Appended {
  /** As stored. */
  readonly events: readonly EventText[];
  /** Whether an earlier request with the same idempotency key had stored them. */
  readonly replayed: boolean;
}

/** Bytes of one group, a larger single append aside. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
/** Concurrent groups of one account. */
const CONCURRENCY = 2;
/** Bytes of appends that wait for one account, and of all appends in this process. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Bytes of an event besides its parts, about: its times, copies and keys. */
const EVENT_OVERHEAD_BYTES = 200;

export class EventAppends {
  readonly #calls: KeyedBatcher<AppendRequest, AppendOutcome>;

  /** `ledgers` chooses among several; by default there is no choice. */
  constructor(ledger: Ledger, metrics?: BatcherMetrics, ledgers: Ledgers = new Affinity()) {
    const calls = new AppendCalls(ledger, ledgers);
    this.#calls = new KeyedBatcher({
      name: "append-event",
      work: (accountId, appends, bytes, timeoutMs) =>
        calls.send(accountId, appends.map(admittedAppend), { bytes, timeoutMs }),
      weigh: ({ events }) =>
        events.reduce((sum, { bytes }) => sum + bytes + EVENT_OVERHEAD_BYTES, 0),
      maxGroup: MAX_GROUP_BYTES,
      concurrency: CONCURRENCY,
      maxWaiting: MAX_WAITING_BYTES,
      maxWeight: MAX_HELD_BYTES,
      deadlineMs: CALL_TIMEOUT_MS,
      ...(metrics && { metrics }),
    });
  }

  /** Rejects with the append's own AnnalsError. */
  append(request: AppendRequest): Promise<Appended> {
    return this.#calls
      .submit(request.accountId, request)
      .then(({ outcome }) => appended(outcome, request));
  }
}

function admittedAppend({ events, statement, ...request }: AppendRequest): AdmittedAppend {
  return { append: { ...request, events: events.map(eventMessage) }, statement };
}

/**
 * The ledger takes UTF-8 of whatever it does not read, and an empty part for {}. Not by `create`, for speed:
 * that copies every field of every event.
 */
function eventMessage(event: NewEventRequest): NewEvent {
  const message: { -readonly [Field in keyof NewEvent]?: NewEvent[Field] } = {
    $typeName: NewEventSchema.typeName,
    action: event.action,
    occurredAt: event.occurredAt,
  };
  for (const part of PARTS) {
    const text = event[part];
    message[part] = text === NO_MEMBERS ? NO_BYTES : Buffer.from(text);
  }
  for (const copy of COPY_FIELDS) {
    const text = event[copy];
    if (text !== undefined) message[copy] = Buffer.from(text);
  }
  return message as NewEvent;
}

const NO_BYTES = new Uint8Array();

function appended(outcome: AppendOutcome["outcome"], request: AppendRequest): Appended {
  switch (outcome.case) {
    case "stored":
      return { events: storedEvents(request, outcome.value), replayed: false };
    case "replayed":
      return { events: outcome.value.events, replayed: true };
    case "refused":
      throw fromProtoError(outcome.value);
    case undefined:
      throw internal("the ledger answered an append without an outcome");
    default:
      return outcome satisfies never;
  }
}

/** The events as sent, with what the ledger added to them. */
function storedEvents(
  { events, receivedAt }: AppendRequest,
  { firstSequenceNumber, createdAt, ids, hashes }: AppendReceipt,
): EventText[] {
  const first = Number(firstSequenceNumber);
  return events.map((event, index) => ({
    ...event,
    id: ids[index] ?? "",
    sequenceNumber: first + index,
    hash: hashes[index + 1] ?? "",
    previousHash: hashes[index] ?? "",
    receivedAt,
    createdAt,
  }));
}
