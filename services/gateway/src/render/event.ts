// The shape of an event in the OpenAPI document (interface 2.2), and its proof. The text itself is
// made by libs/event.

import { EVENT_MEMBERS, type MemberKind, PARTS, proofJson } from "@annals/event";
import type { StoredEvent } from "@annals/proto/ledger";
import { Type, type TSchema } from "typebox";

/** What a third party needs besides the event to recompute its hash (docs/hash-chain.md). */
export function renderProof({ proof }: StoredEvent): string {
  return proofJson(proof ?? { chain: "", salts: new Uint8Array(), digests: new Uint8Array() });
}

const SCHEMAS: Readonly<Record<MemberKind, TSchema>> = {
  id: Type.String({ description: "`evt_` and an opaque text." }),
  number: Type.Integer({ description: "1 for the account's first event, then one more each." }),
  text: Type.String(),
  part: Type.Record(Type.String(), Type.Unknown(), { description: "{} where none was given." }),
  hash: Type.String({ description: "64 lower-case hexadecimal characters." }),
  time: Type.String({ description: "ISO 8601, UTC, six fraction digits." }),
};

export const EventBody = Type.Object(
  Object.fromEntries(Object.entries(EVENT_MEMBERS).map(([name, kind]) => [name, SCHEMAS[kind]])),
);

const Hexes = Type.Object(Object.fromEntries(PARTS.map((part) => [part, Type.String()])));

export const ProofBody = Type.Object(
  { v: Type.Literal(1), chain: Type.String(), salts: Hexes, digests: Hexes },
  {
    description: "What recomputing the hash needs besides the event.",
    "x-annals-open-detail": true,
  },
);
