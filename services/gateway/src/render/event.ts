// The shape of an event in the OpenAPI document (interface 2.2), and its proof. The text itself is
// made by libs/contract.

import { FIELDS } from "@annals/event";
import { proofJson } from "@annals/event";
import type { StoredEvent } from "@annals/proto/ledger";
import { Type } from "typebox";

/** What a third party needs besides the event to recompute its hash (docs/hash-chain.md). */
export function renderProof({ proof }: StoredEvent): string {
  return proofJson(proof ?? { chain: "", salts: new Uint8Array(), digests: new Uint8Array() });
}

const Time = Type.String({ description: "ISO 8601, UTC, six fraction digits." });
const Hash = Type.String({ description: "64 lower-case hexadecimal characters." });
const Part = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const EventBody = Type.Object({
  id: Type.String({ description: "`evt_` and an opaque text." }),
  sequence_number: Type.Integer({
    description: "1 for the account's first event, then one more each.",
  }),
  action: Type.String(),
  actor: Part("{} where none was given."),
  target: Part("{} where none was given."),
  context: Part("{} where none was given."),
  diff: Part("{} where none was given."),
  metadata: Part("{} where none was given."),
  hash: Hash,
  previous_hash: Hash,
  occurred_at: Time,
  received_at: Time,
  created_at: Time,
});

const Hexes = Type.Object(Object.fromEntries(FIELDS.map((field) => [field, Type.String()])));

export const ProofBody = Type.Object(
  { v: Type.Literal(1), chain: Type.String(), salts: Hexes, digests: Hexes },
  {
    description: "What recomputing the hash needs besides the event.",
    "x-annals-open-detail": true,
  },
);
