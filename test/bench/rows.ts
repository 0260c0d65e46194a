// Events as rows of the ledger's tables with valid hashes, made without the service. Called for baselines,
// which insert the same rows as the service, and to load a long chain quickly.

import {
  canonicalJson,
  PARTS,
  partDigest,
  GENESIS_HASH,
  type JsonObject,
  leafHash,
  leafText,
  SALT_BYTES,
} from "@annals/event";
import { base32, formatMicros } from "@annals/contract";
import { randomBytes } from "node:crypto";

export interface Row {
  readonly sequenceNumber: number;
  readonly id: string;
  readonly action: string;
  readonly time: string;
  /** By default the time. */
  readonly occurredAt: string;
  readonly digests: Buffer;
  readonly previousHash: string;
  readonly hash: string;
  /** Canonical text in the order of PARTS. */
  readonly parts: readonly string[];
  readonly salts: Buffer;
  readonly actorId: string | null;
  readonly actorType: string | null;
  readonly targetId: string | null;
  readonly targetType: string | null;
}

/** An event as a client sends it. */
interface Sent {
  readonly action: string;
  /** UTC with six fraction digits. */
  readonly occurred_at?: string;
  readonly actor?: { readonly id?: string; readonly type?: string };
  readonly target?: { readonly id?: string; readonly type?: string };
}

/** `occurred_at` of the first event in microseconds since 1970, and the interval between events. */
const BEGIN_US = Date.UTC(2026, 0, 1) * 1_000;
const STEP_US = 1_000_000;

const SEQUENCE_CHARACTERS = 13;
const RANDOM_CHARACTERS = 13;
const ALPHABET = "0123456789abcdefghijklmnopqrstuv";
const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

/** The time of the event with this number, as all three times of {@link makeRows}. */
export function timeOf(sequenceNumber: number): string {
  return formatMicros(BEGIN_US + sequenceNumber * STEP_US);
}

/** A chain of `count` events from its first on. */
export function* makeRows(
  accountId: string,
  count: number,
  eventAt: (index: number) => object,
): Generator<Row> {
  let previousHash = GENESIS_HASH;
  for (let sequenceNumber = 1; sequenceNumber <= count; sequenceNumber++) {
    const event = eventAt(sequenceNumber - 1) as Sent & JsonObject;
    const parts = PARTS.map((field) => canonicalJson((event[field] ?? {}) as JsonObject));
    const salts = randomBytes(PARTS.length * SALT_BYTES);
    const digests = Buffer.concat(
      parts.map((part, at) =>
        partDigest(salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES), part),
      ),
    );
    const time = timeOf(sequenceNumber);
    const occurredAt = event.occurred_at ?? time;
    const id = idOf(sequenceNumber);
    const hash = leafHash(
      leafText({
        action: event.action,
        chain: accountId,
        createdAt: time,
        digests,
        id,
        occurredAt,
        previousHash,
        receivedAt: time,
        sequenceNumber,
      }),
    );
    yield {
      sequenceNumber,
      id,
      action: event.action,
      time,
      occurredAt,
      digests,
      previousHash,
      hash,
      parts,
      salts,
      actorId: event.actor?.id ?? null,
      actorType: event.actor?.type ?? null,
      targetId: event.target?.id ?? null,
      targetType: event.target?.type ?? null,
    };
    previousHash = hash;
  }
}

/** Makes the id of an event as the ledger does (ADR 8, docs/adr/archive.md). */
function idOf(sequenceNumber: number): string {
  const digits = sequenceNumber.toString(32).padStart(SEQUENCE_CHARACTERS, "0");
  const sequence = Array.from(digits, (digit) => CROCKFORD[ALPHABET.indexOf(digit)]).join("");
  return `evt_${sequence}${base32(randomBytes(RANDOM_CHARACTERS))}`;
}
