// A hold as JSON (docs/lifecycle.md).

import { internal } from "@annals/errors";
import type { Hold } from "@annals/proto/ledger";
import { Type } from "typebox";
import { Id, named, Nullable, openDetail, SequenceNumber } from "../render/schema.ts";

export const HoldId = Id("hold", "7d2k9m4p1r6t3v8x5z0b2c4f6g");

/** What a hold is placed with, and what a response shows of it. */
export const HOLD_MEMBERS = openDetail("hold-members");

export const HoldBody = named(
  "Hold",
  Type.Object(
    {
      id: HoldId,
      from_sequence: SequenceNumber({ description: "First event that is held.", examples: [40] }),
      to_sequence: Nullable(SequenceNumber(), {
        description: "Last event that is held; null for a hold that also covers later events.",
        examples: [42],
      }),
      actor_id: Nullable(Type.String(), {
        description: "Only events of this actor are held; null: those of all actors.",
        examples: ["u_7"],
      }),
      owner: Type.Enum(["account", "operator"], {
        description: "Who placed it. A hold of the operator cannot be released with an API key.",
        examples: ["account"],
      }),
      placed_by: SequenceNumber({
        description: "Sequence number of the event `annals.hold` that records it.",
        examples: [57],
      }),
    },
    HOLD_MEMBERS,
  ),
);

export function renderHold(hold: Hold | undefined) {
  if (!hold) throw internal("the ledger responded without a hold");
  const { actorId = null, toSequence } = hold;
  return {
    id: hold.id,
    from_sequence: Number(hold.fromSequence),
    to_sequence: toSequence === undefined ? null : Number(toSequence),
    actor_id: actorId,
    owner: hold.isOfOperator ? ("operator" as const) : ("account" as const),
    placed_by: Number(hold.placedBy),
  };
}
