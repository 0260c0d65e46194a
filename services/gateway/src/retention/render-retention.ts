// How long the events of an account are kept, as JSON (docs/lifecycle.md#retention).

import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from "@annals/contract";
import { internal } from "@annals/errors";
import type { Retention } from "@annals/proto/ledger";
import { Type } from "typebox";
import { Count, named, Nullable, openDetail, Time } from "../render/schema.ts";

const Days = (description: string, example: number) =>
  Nullable(Count({ description, examples: [example] }));

export const RETENTION_MEMBERS = openDetail("retention-members");

export const AskedDays = Nullable(
  Type.Integer({
    minimum: MIN_RETENTION_DAYS,
    maximum: MAX_RETENTION_DAYS,
    examples: [90],
  }),
  {
    description:
      "Days after which events are deleted, within what the plan allows. Null: those of the plan.",
  },
);

export const AskedArchive = Type.Boolean({
  description:
    "Whether events are archived before they are deleted, if the plan allows it. Without it nothing changes. False " +
    "takes effect after 7 days.",
  examples: [true],
});

export const RetentionBody = named(
  "Retention",
  Type.Object(
    {
      days: Days("Days after which an event is deleted now. Null: never.", 365),
      limited_by: Nullable(Type.Enum(["plan", "account"]), {
        description: "What says `days`. Null without days.",
        examples: ["plan"],
      }),
      plan_days: Days("Days of the plan, which is the longest time. Null: any.", 365),
      min_days: Count({ description: "The shortest time that can be set.", examples: [30] }),
      account_days: Days("Days that are set for the account. Null: none.", 90),
      shorter_from: Nullable(Time(), {
        description:
          "When `account_days` takes effect, if it is shorter than what is in force. Null: it is in force.",
      }),
      through_sequence: Count({
        description:
          "Last event that the newest event `annals.retention` names. 0 before the first one.",
        examples: [4_200],
      }),
      retained_from: Count({
        description: "First event that is not deleted.",
        examples: [4_201],
      }),
      hold: Nullable(Type.String(), {
        description:
          "The active hold that begins first: nothing from its first event on is deleted. Null: no hold is active.",
        examples: ["hold_4h7k0n3q6s9v2x5z8b1d4f7h0k"],
      }),
      archive: Type.Boolean({
        description: "Whether events are archived before they are deleted.",
        examples: [true],
      }),
      archive_until: Nullable(Time(), {
        description:
          "Until when they still are, after `archive` was set to false. Null: it has no end, or has ended.",
      }),
      archived_through: Count({
        description: "Last event that is archived. 0 without one.",
        examples: [4_200],
      }),
    },
    RETENTION_MEMBERS,
  ),
);

export function renderRetention(retention: Retention | undefined) {
  if (!retention) throw internal("the ledger responded without a retention");
  const { accountDays, days, hold, limitedBy, planDays, shorterFrom } = retention;
  return {
    days: days ?? null,
    limited_by: limitedBy || null,
    plan_days: planDays ?? null,
    min_days: retention.minDays,
    account_days: accountDays ?? null,
    shorter_from: shorterFrom ?? null,
    through_sequence: Number(retention.throughSequence),
    retained_from: Number(retention.retainedFrom),
    hold: hold ?? null,
    archive: retention.archive,
    archive_until: retention.archiveUntil ?? null,
    archived_through: Number(retention.archivedThrough),
  };
}
