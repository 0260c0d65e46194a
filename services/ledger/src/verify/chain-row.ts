// Converts a row of the store for the verifier. Called by verify-range.ts.

import type { ChainPayload, ChainRow } from "./rules/chain-verifier.ts";
import type { RangeRow } from "../store/read-range.ts";

export function chainRow(row: RangeRow): ChainRow {
  return {
    sequenceNumber: Number(row.sequence_number),
    id: row.id,
    action: row.action,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    createdAt: row.created_at,
    digests: row.digests,
    previousHash: row.previous_hash.toString("hex"),
    hash: row.hash.toString("hex"),
    payload: payloadOf(row),
  };
}

function payloadOf({
  actor,
  context,
  diff,
  metadata,
  target,
  salts,
  ...row
}: RangeRow): ChainPayload | undefined {
  // The table refuses nulls, but its owner may have allowed them.
  if (actor === null || context === null || diff === null || metadata === null) return undefined;
  if (target === null || salts === null) return undefined;
  return {
    actor,
    context,
    diff,
    metadata,
    target,
    salts,
    erased: row.erased,
    actorId: row.actor_id ?? undefined,
    actorType: row.actor_type ?? undefined,
    targetId: row.target_id ?? undefined,
    targetType: row.target_type ?? undefined,
  };
}
