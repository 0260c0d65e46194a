// Renders a row of the store as a StoredEvent of proto. Called by the handlers that return events.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { StoredEventSchema } from "@annals/proto/ledger";
import type { EventRow } from "../store/event-row.ts";

export interface RenderOptions {
  readonly accountId: string;
  readonly includeProof: boolean;
}

export function renderEvent(
  row: EventRow,
  options: RenderOptions,
): MessageInitShape<typeof StoredEventSchema> {
  return {
    // The id, the action and the parts have the same names in both.
    ...row,
    sequenceNumber: BigInt(row.sequence_number),
    hash: row.hash.toString("hex"),
    previousHash: row.previous_hash.toString("hex"),
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    createdAt: row.created_at,
    ...(options.includeProof && {
      proof: { chain: options.accountId, salts: row.salts, digests: row.digests },
    }),
  };
}
