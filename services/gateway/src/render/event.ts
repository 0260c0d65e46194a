// An event as JSON text (interface 2.2). The parts are set in as the canonical text that was hashed, so that POST, GET and
// the lists return the same bytes, and nothing is parsed or serialised on the way.

import { FIELDS } from "@annals/chain";
import type { StoredEvent } from "@annals/proto/ledger";
import { Type } from "typebox";

/** What is in an event's JSON. A part that is empty stands for {}. */
export type EventText = Pick<
  StoredEvent,
  | "id"
  | "action"
  | "actor"
  | "target"
  | "context"
  | "diff"
  | "metadata"
  | "hash"
  | "previousHash"
  | "occurredAt"
  | "receivedAt"
  | "createdAt"
> & { readonly sequenceNumber: number | bigint };

export function renderEvent(event: EventText): string {
  return (
    `{"id":"${event.id}","sequence_number":${event.sequenceNumber},"action":${JSON.stringify(event.action)}` +
    `,"actor":${event.actor || "{}"},"target":${event.target || "{}"},"context":${event.context || "{}"}` +
    `,"diff":${event.diff || "{}"},"metadata":${event.metadata || "{}"}` +
    `,"hash":"${event.hash}","previous_hash":"${event.previousHash}"` +
    `,"occurred_at":"${event.occurredAt}","received_at":"${event.receivedAt}","created_at":"${event.createdAt}"}`
  );
}

const DIGEST_BYTES = 32;
const SALT_BYTES = 16;

/** What a third party needs besides the event to recompute its hash (docs/hash-chain.md). */
export function renderProof({ proof }: StoredEvent): string {
  const named = (bytes: Uint8Array, size: number) =>
    FIELDS.map((field, place) => {
      const hex = Buffer.from(bytes.subarray(place * size, (place + 1) * size)).toString("hex");
      return `"${field}":"${hex}"`;
    }).join(",");
  const chain = JSON.stringify(proof?.chain ?? "");
  const salts = named(proof?.salts ?? new Uint8Array(), SALT_BYTES);
  const digests = named(proof?.digests ?? new Uint8Array(), DIGEST_BYTES);
  return `{"v":1,"chain":${chain},"salts":{${salts}},"digests":{${digests}}}`;
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
