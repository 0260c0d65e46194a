// Sends appends to the ledger. Those of one account that wait together go in one call; accounts do
// not wait for each other.

import { inWireForm, KeyedBatcher } from "@annals/rpc";
import { fromProtoError, internal } from "@annals/errors";
import {
  type AppendOutcome,
  CreateEventsRequestSchema,
  type LedgerService,
} from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { appendBytes } from "./append-bytes.ts";
import { type Frame, replayedAnswer, storedAnswer } from "./events-answer.ts";
import type { NewEventRequest } from "./new-event.ts";

/** An Append of the ledger, not yet written. */
export interface AppendRequest {
  readonly accountId: string;
  readonly receivedAt: string;
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  readonly events: readonly NewEventRequest[];
  readonly monthlyQuota?: bigint;
}

export interface Appended {
  /** The answer, JSON in UTF-8. */
  readonly body: Buffer;
  /** Whether an earlier request with the same idempotency key had stored the events. */
  readonly replayed: boolean;
}

/** Bytes in one call, a larger single append aside; calls at a time for one account; bytes held in all. */
const MAX_CALL_BYTES = 4 * 1024 * 1024;
const CONCURRENCY = 3;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MAX_HELD_BYTES = 64 * 1024 * 1024;

export class EventAppends {
  readonly #calls: KeyedBatcher<Uint8Array, AppendOutcome>;

  constructor(ledger: Pick<Client<typeof LedgerService>, "createEvents">) {
    this.#calls = new KeyedBatcher({
      work: async (_accountId, appends) => {
        const request = inWireForm(CreateEventsRequestSchema, appends);
        const { outcomes } = await ledger.createEvents(request);
        return outcomes.map((value) => ({ status: "fulfilled", value }));
      },
      weigh: ({ length }) => length,
      maxGroup: MAX_CALL_BYTES,
      concurrency: CONCURRENCY,
      maxWaiting: MAX_WAITING_BYTES,
      maxWeight: MAX_HELD_BYTES,
    });
  }

  /**
   * Resolves to the answer, `frame` around the events as stored. Rejects with the append's own AnnalsError.
   * The request is written as bytes and let go at once.
   */
  append(request: AppendRequest, frame: Frame): Promise<Appended> {
    const { accountId, receivedAt } = request;
    const bytes = appendBytes(request);
    return this.#calls
      .submit(accountId, bytes)
      .then(({ outcome }) => answered(outcome, { bytes, receivedAt, frame }));
  }
}

function answered(
  outcome: AppendOutcome["outcome"],
  { bytes, receivedAt, frame }: { bytes: Uint8Array; receivedAt: string; frame: Frame },
): Appended {
  switch (outcome.case) {
    case "stored":
      return { body: storedAnswer(bytes, receivedAt, frame, outcome.value), replayed: false };
    case "replayed":
      return { body: replayedAnswer(outcome.value.events, frame), replayed: true };
    case "refused":
      throw fromProtoError(outcome.value);
    case undefined:
      throw internal("the ledger answered an append without an outcome");
    default:
      return outcome satisfies never;
  }
}
