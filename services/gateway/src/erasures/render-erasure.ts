// A request to erase parts of events as JSON (docs/lifecycle.md).

import { internal } from "@annals/errors";
import { PARTS } from "@annals/event";
import { type Erasure, ErasureStatus as Status } from "@annals/proto/ledger";
import { Type } from "typebox";
import { Count, Id, named, Nullable, openDetail, Time } from "../render/schema.ts";

export const ErasureId = Id("era", "4h7k0n3q6s9v2x5z8b1d4f7h0k");

/** What an erasure is asked for with, and what a response shows of it. */
export const ERASURE_MEMBERS = openDetail("erasure-members");

const STATUSES: Record<Status, "pending" | "running" | "completed" | "cancelled"> = {
  [Status.UNSPECIFIED]: "pending",
  [Status.PENDING]: "pending",
  [Status.RUNNING]: "running",
  [Status.COMPLETED]: "completed",
  [Status.CANCELLED]: "cancelled",
};

const UNTIL_ENDED = "Null once the erasure has ended.";
const Selected = (description: string) =>
  Nullable(Type.String(), { description: `${description} ${UNTIL_ENDED}` });

export const PartNames = Type.Array(Type.Enum([...PARTS]), {
  minItems: 1,
  description: "Parts to erase of each event.",
  examples: [["actor", "metadata"]],
});

export const ErasureBody = named(
  "Erasure",
  Type.Object(
    {
      id: ErasureId,
      status: Type.Enum(["pending", "running", "completed", "cancelled"], {
        description:
          "running: also while the erased values leave the copies of `copies`. completed: none of the selected " +
          "events up to `up_to_sequence` still has these parts, in the stored events, the filter index and the " +
          "copies, except those counted in `held`. It says nothing about backups and files that were downloaded.",
        examples: ["completed"],
      }),
      actor_id: Selected("Events of this actor are selected."),
      target_id: Selected("Events about this target are selected."),
      event_id: Selected("This event is selected."),
      parts: PartNames,
      reference: Nullable(Type.String(), { examples: ["case 7"] }),
      up_to_sequence: Count({
        description:
          "Last event that it covers: the last one that was stored when it was requested.",
        examples: [4_200],
      }),
      erased: Count({
        description: "Events of which it has erased parts so far.",
        examples: [310],
      }),
      held: Count({ description: "Events that a hold has kept from it so far.", examples: [2] }),
      created_at: Time(),
      begins_at: Nullable(Time(), {
        description:
          "When it may begin. Until then it can be cancelled. Null once it has begun or ended.",
      }),
      ended_at: Nullable(Time(), { description: "When it was completed or cancelled." }),
      copies: Type.Object(
        {
          exports: Nullable(Time(), {
            description: "Since when no file of an export has a value.",
          }),
          webhooks: Nullable(Time(), {
            description: "Since when no webhook delivery that begins sends a value.",
          }),
        },
        { description: "Null before, and if the service has no such copies." },
      ),
      vacuumed_at: Nullable(Time(), {
        description:
          "When the old rows had left the tables of the database: their space is overwritten from then on. " +
          "Null before.",
      }),
    },
    ERASURE_MEMBERS,
  ),
);

export function renderErasure(erasure: Erasure | undefined) {
  if (!erasure) throw internal("the ledger responded without an erasure");
  const { actorId, beginsAt, endedAt, eventId, reference, targetId } = erasure;
  return {
    id: erasure.id,
    status: STATUSES[erasure.status],
    actor_id: actorId ?? null,
    target_id: targetId ?? null,
    event_id: eventId ?? null,
    parts: PARTS.filter((part) => erasure.parts.includes(part)),
    reference: reference ?? null,
    up_to_sequence: Number(erasure.upToSequence),
    erased: Number(erasure.erased),
    held: Number(erasure.held),
    created_at: erasure.createdAt,
    begins_at: beginsAt ?? null,
    ended_at: endedAt ?? null,
    copies: {
      exports: erasure.exportsClearedAt ?? null,
      webhooks: erasure.webhooksClearedAt ?? null,
    },
    vacuumed_at: erasure.vacuumedAt ?? null,
  };
}
