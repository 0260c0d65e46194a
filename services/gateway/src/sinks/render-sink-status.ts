// How far a sink is, as JSON (docs/interface.md). Called by get-sink-status.ts.

import {
  type GetSinkStatusResponse,
  LostReason,
  type RejectedEvent as Rejected,
} from "@annals/proto/sinks";
import { Type } from "typebox";
import { EventId } from "../events/render-event.ts";
import { Count, named, Nullable, SequenceNumber, Time } from "../render/schema.ts";
import { SINK_STATES, SinkStateMember } from "./render-sink.ts";

const Numbers = named(
  "LostEvents",
  Type.Object({
    from_sequence_number: SequenceNumber(),
    to_sequence_number: SequenceNumber(),
    reason: Type.Enum(["retention", "rejected", "both"], {
      description:
        "`retention` had deleted them before, or they were `rejected` by the receiver and passed over. `both`: the oldest " +
        "ranges are joined.",
      examples: ["retention"],
    }),
  }),
);

const LOST_REASONS = {
  [LostReason.UNSPECIFIED]: "",
  [LostReason.RETENTION]: "retention",
  [LostReason.REJECTED]: "rejected",
  [LostReason.BOTH]: "both",
} as const;

const RejectedEvent = named(
  "RejectedEvent",
  Type.Object({
    sequence_number: SequenceNumber(),
    id: EventId,
    status: Nullable(Type.Integer(), {
      description: "Status of the response, or of the item in it.",
      examples: [400],
    }),
    reason: Type.String({
      description:
        "What the receiver has said, up to 200 characters, without the secrets of the sink.",
      examples: ["document_parsing_exception: failed to parse field [diff]"],
    }),
  }),
);

export const SinkStatusBody = named(
  "SinkStatus",
  Type.Object({
    status: SinkStateMember,
    cursor: Count({
      description:
        "Number of the last event that the receiver has acknowledged, or that the filter left out; 0: none yet.",
      examples: [41],
    }),
    head: Count({ description: "Number of the last event of the chain.", examples: [42] }),
    lag_events: Count({ description: "Events after the cursor.", examples: [1] }),
    lag_seconds: Type.Number({
      minimum: 0,
      description: "How long the first of them has waited; 0 at the head.",
      examples: [0.8],
    }),
    last_error: Nullable(Type.String(), {
      description: "Why the last attempt failed; null if it did not.",
      examples: [null],
    }),
    last_delivered_at: Nullable(Time(), { description: "Null if nothing was sent yet." }),
    next_attempt_at: Nullable(Time(), { description: "Null while the sink is paused." }),
    lost: Type.Array(Numbers, {
      description: "Ranges that are never sent, both ends included.",
      examples: [[]],
    }),
    rejected: Nullable(RejectedEvent, {
      description: "The one event that the receiver refuses for good; null without one.",
    }),
  }),
);

export function renderSinkStatus(status: GetSinkStatusResponse) {
  return {
    status: SINK_STATES[status.state],
    cursor: Number(status.cursor),
    head: Number(status.head),
    lag_events: Number(status.lagEvents),
    lag_seconds: status.lagSeconds,
    last_error: status.lastError ?? null,
    last_delivered_at: status.lastDeliveredAt ?? null,
    next_attempt_at: status.nextAttemptAt ?? null,
    lost: status.lost.map(({ fromSequenceNumber, reason, toSequenceNumber }) => ({
      from_sequence_number: Number(fromSequenceNumber),
      to_sequence_number: Number(toSequenceNumber),
      reason: LOST_REASONS[reason],
    })),
    rejected: status.rejected ? renderRejected(status.rejected) : null,
  };
}

function renderRejected({ id, reason, sequenceNumber, status }: Rejected) {
  return { sequence_number: Number(sequenceNumber), id, status: status ?? null, reason };
}
