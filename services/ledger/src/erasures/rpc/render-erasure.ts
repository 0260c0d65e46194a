// A request to erase as the RPCs return it.

import { formatMicros } from "@annals/contract";
import { erasedParts } from "@annals/event";
import { type ErasureSchema, ErasureStatus as ProtoStatus } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Selector, selectorOf } from "../rules/erasure.ts";
import type { ErasureRow, ErasureStatus } from "../store/erasures.ts";

const STATUSES: Record<ErasureStatus, ProtoStatus> = {
  pending: ProtoStatus.PENDING,
  running: ProtoStatus.RUNNING,
  completed: ProtoStatus.COMPLETED,
  cancelled: ProtoStatus.CANCELLED,
};
const US_PER_S = 1_000_000;
const NOTHING: Selector = {};

export function renderErasure(row: ErasureRow): MessageInitShape<typeof ErasureSchema> {
  const { actorId, eventId, targetId } = row.selector === null ? NOTHING : selectorOf(row.selector);
  return {
    id: row.id,
    status: STATUSES[row.status],
    ...(actorId !== undefined && { actorId }),
    ...(targetId !== undefined && { targetId }),
    ...(eventId !== undefined && { eventId }),
    parts: [...erasedParts(row.parts)],
    ...(row.reference !== null && { reference: row.reference }),
    upToSequence: BigInt(row.up_to_sequence),
    erased: BigInt(row.erased),
    held: BigInt(row.held),
    createdAt: row.created_at,
    ...(row.status === "pending" && { beginsAt: timeOf(row.due_s) }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.exports_cleared_s !== null && { exportsClearedAt: timeOf(row.exports_cleared_s) }),
    ...(row.webhooks_cleared_s !== null && { webhooksClearedAt: timeOf(row.webhooks_cleared_s) }),
    ...(row.vacuumed_s !== null && { vacuumedAt: timeOf(row.vacuumed_s) }),
  };
}

function timeOf(seconds: number): string {
  return formatMicros(Math.round(seconds * US_PER_S));
}
