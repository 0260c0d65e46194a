// Sends appends to the ledger. Those of one account that wait together go in one call; accounts do
// not wait for each other.

import { KeyedCoalescer } from "@annals/chassis";
import { fromProtoError, internal } from "@annals/errors";
import type { AppendOutcome, AppendSchema, LedgerService } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { EventText } from "@annals/contract";
import type { newEventRequest } from "./new-event.ts";

export type AppendRequest = MessageInitShape<typeof AppendSchema> & {
  readonly accountId: string;
  readonly receivedAt: string;
  readonly events: readonly ReturnType<typeof newEventRequest>[];
};

export interface Appended {
  readonly events: readonly EventText[];
  /** Whether an earlier request with the same idempotency key had stored them. */
  readonly replayed: boolean;
}

/** Bytes in one call, a larger single append aside; calls at a time for one account; bytes held in all. */
const MAX_CALL_BYTES = 4 * 1024 * 1024;
const LANES = 3;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Roughly what an event takes besides its parts. */
const EVENT_OVERHEAD_BYTES = 400;

export class EventAppends {
  readonly #calls: KeyedCoalescer<AppendRequest, AppendOutcome>;

  constructor(ledger: Pick<Client<typeof LedgerService>, "createEvents">) {
    this.#calls = new KeyedCoalescer({
      work: async (_accountId, appends) => {
        const { outcomes } = await ledger.createEvents({ appends: [...appends] });
        return outcomes.map((value) => ({ status: "fulfilled", value }));
      },
      weigh: weightOf,
      maxGroup: MAX_CALL_BYTES,
      lanes: LANES,
      maxWaiting: MAX_WAITING_BYTES,
      maxWeight: MAX_HELD_BYTES,
    });
  }

  /** Resolves to the events as stored. Rejects with the append's own AnnalsError. */
  async append(request: AppendRequest): Promise<Appended> {
    const { outcome } = await this.#calls.submit(request.accountId, request);
    switch (outcome.case) {
      case "stored": {
        const { firstSequenceNumber, createdAt, ids, hashes } = outcome.value;
        const first = Number(firstSequenceNumber);
        const events = request.events.map((event, index) => ({
          ...event,
          occurredAt: event.occurredAt ?? "",
          action: event.action ?? "",
          id: ids[index] ?? "",
          sequenceNumber: first + index,
          hash: hashes[index + 1] ?? "",
          previousHash: hashes[index] ?? "",
          receivedAt: request.receivedAt,
          createdAt,
        }));
        return { events, replayed: false };
      }
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
}

function weightOf({ events }: AppendRequest): number {
  let weight = 0;
  for (const { actor, context, diff, metadata, target } of events) {
    weight += EVENT_OVERHEAD_BYTES;
    weight += actor.length + context.length + diff.length + metadata.length + target.length;
  }
  return weight;
}
