// A stored event as proto.

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
    id: row.id,
    sequenceNumber: BigInt(row.sequence_number),
    action: row.action,
    actor: row.actor,
    context: row.context,
    diff: row.diff,
    metadata: row.metadata,
    target: row.target,
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
