// A hold as the RPCs return it.

import type { HoldSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HoldRow } from "../../store/holds.ts";

export function renderHold(row: HoldRow): MessageInitShape<typeof HoldSchema> {
  return {
    id: row.id,
    fromSequence: BigInt(row.from_sequence),
    ...(row.to_sequence !== null && { toSequence: BigInt(row.to_sequence) }),
    ...(row.actor_id !== null && { actorId: row.actor_id }),
    isOfOperator: row.owner === "operator",
    placedBy: BigInt(row.placed_by),
  };
}
