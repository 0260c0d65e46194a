// Sends appends to the ledger: those of one account that wait at the same time as one group. Called by the
// routes that create events. A waiting append holds the bytes that the response is made of, never the parsed
// body, which takes several times as much memory.

import { type EventText, HASH_HEX_LENGTH, ID_LENGTH } from "@annals/event";
import { Affinity, type BatcherMetrics, CALL_TIMEOUT_MS, KeyedBatcher } from "@annals/rpc";
import { fromProtoError, internal } from "@annals/errors";
import type { AppendOutcome, AppendReceipt } from "@annals/proto/ledger";
import { type AdmittedAppend, AppendCalls, type Ledger, type Ledgers } from "./append-calls.ts";
import type { NewEvents } from "./new-events.ts";

/** All the events of one request. */
export interface AppendRequest {
  readonly accountId: string;
  readonly receivedAt: string;
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  readonly events: NewEvents;
  readonly monthlyQuota?: bigint;
  /** Whether the events of a replay are not needed: then `events` of its outcome is empty. */
  readonly isReplayBrief?: boolean;
  /** The statement of the request's admission. */
  readonly statement: string;
}

/** What became of an append: stored now, or stored by an earlier request with the same idempotency key. */
export type Appended =
  | { readonly replayed: false; readonly receipt: AppendReceipt }
  | { readonly replayed: true; readonly events: readonly EventText[] };

/** Maximum bytes of one group. A single append may be larger. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
/** Maximum concurrent groups of one account. */
const CONCURRENCY = 2;
/** Maximum bytes of the waiting appends of one account, and of all appends in this process. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Approximate bytes that an event takes besides its JSON: its places and its time. */
const EVENT_OVERHEAD_BYTES = 200;

/** Appends of one call that the ledger takes, and what each weighs at least, so that a group has no more. */
const MAX_APPENDS = 5_000;
const MIN_APPEND_BYTES = Math.ceil(MAX_GROUP_BYTES / MAX_APPENDS);

export class EventAppends {
  readonly #calls: KeyedBatcher<AppendRequest, AppendOutcome>;

  /** `ledgers` chooses among several ledgers; by default there is only one. */
  constructor(ledger: Ledger, metrics?: BatcherMetrics, ledgers: Ledgers = new Affinity()) {
    const calls = new AppendCalls(ledger, ledgers);
    this.#calls = new KeyedBatcher({
      name: "append-event",
      work: (accountId, appends, bytes, timeoutMs) =>
        calls.send(accountId, appends.map(admittedAppend), { bytes, timeoutMs }),
      weigh: ({ events: { bytes, count } }) =>
        Math.max(bytes.length + count * EVENT_OVERHEAD_BYTES, MIN_APPEND_BYTES),
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
  return { append: { ...request, eventsJson: events.bytes }, statement };
}

function appended(outcome: AppendOutcome["outcome"], { events }: AppendRequest): Appended {
  switch (outcome.case) {
    case "stored":
      checkReceipt(outcome.value, events.count);
      return { replayed: false, receipt: outcome.value };
    case "replayed":
      return { replayed: true, events: outcome.value.events };
    case "refused":
      throw fromProtoError(outcome.value);
    case undefined:
      throw internal("the ledger returned no outcome for an append");
    default:
      return outcome satisfies never;
  }
}

function checkReceipt({ packedHashes, packedIds }: AppendReceipt, count: number): void {
  const hasIds = packedIds.length === count * ID_LENGTH;
  if (!hasIds || packedHashes.length !== (count + 1) * HASH_HEX_LENGTH)
    throw internal("the ledger returned a receipt for another number of events");
}
