// What the log of evidence says, as the routes of the log show it (docs/evidence.md). Used by log/ and
// widget/.

import type { Covered } from "@annals/proto/ledger";
import { Type } from "typebox";
import {
  Count,
  Hash,
  named,
  Nullable,
  openDetail,
  SequenceNumber,
  Time,
} from "../render/schema.ts";

/** The mark of every member of the log. */
export const LOG = openDetail("log-members");

const Epoch = Type.Integer({
  minimum: 1,
  description: "Number of the epoch: the head log's entry with the index before it.",
  examples: [8_812],
});

const coveredMembers = {
  sequence_number: SequenceNumber({ description: "The last event that the epoch covers." }),
  epoch: Epoch,
  time: Time({ description: "When the epoch was closed. ISO 8601, UTC, six fraction digits." }),
};

export const CoveredBody = named(
  "Covered",
  Type.Object({
    ...coveredMembers,
    witnesses: Type.Array(
      Type.Object({
        name: Type.String({
          description: "Name in the policy.",
          examples: ["witness.example.com"],
        }),
        time: Time({ description: "Time of the cosignature. ISO 8601, UTC, six fraction digits." }),
      }),
      { description: "The witnesses of the policy that have cosigned the epoch." },
    ),
  }),
);

export const WidgetCoveredBody = named(
  "WidgetCovered",
  Type.Object({
    ...coveredMembers,
    witness_count: Count({
      description: "How many witnesses of the policy have cosigned the epoch.",
      examples: [2],
    }),
  }),
);

export const Hashes = (description: string) =>
  Type.Array(Hash(), {
    description,
    examples: [["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]],
  });

/** The number of a size, of an epoch or of an event in a query string. */
export const QueryNumber = (description: string, example: number, minimum = 1) =>
  Type.Integer({
    minimum,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    examples: [example],
    ...LOG,
  });

export const CHECKPOINT_EXAMPLE = [
  "annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z",
  "42",
  "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
  "",
  "\u2014 annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z 4lYtpg==",
  "",
].join("\n");

export const NullableCovered = <T extends typeof CoveredBody | typeof WidgetCoveredBody>(body: T) =>
  Nullable(body, { description: "Null if no epoch covers an event of the account yet." });

export function renderCovered({ epoch, size, time, witnesses }: Covered) {
  return {
    sequence_number: Number(size),
    epoch: Number(epoch),
    time,
    witnesses: witnesses.map((witness) => ({ name: witness.name, time: witness.time })),
  };
}

export function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}

/** What log.checkpointed carries: the ledger makes its text. */
export const AccountCheckpointBody = named(
  "AccountCheckpoint",
  Type.Object(
    {
      origin: Type.String({
        description: "The name of the account's log.",
        examples: ["annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z"],
      }),
      epoch: Epoch,
      time: coveredMembers.time,
      size: Count({ description: "How many events the checkpoint covers.", examples: [42] }),
      root: Hash(),
      checkpoint: Type.String({
        description: "The signed checkpoint of the account's log: the anchor to keep.",
        examples: [CHECKPOINT_EXAMPLE],
      }),
    },
    openDetail("log-checkpointed"),
  ),
);
