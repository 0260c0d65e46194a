// Computes what of an append needs no sequence numbers: its salts and digests. Called by append-outcome.ts
// before the head is locked, so that the lock is held for as little work as possible.

import { inBytes, type Work } from "@annals/contract";
import { DIGEST_BYTES, PARTS, SALT_BYTES, writePartDigest } from "@annals/event";

/** The parts that can hold personal data: canonical JSON objects in UTF-8. */
export type Parts = Readonly<Record<(typeof PARTS)[number], Uint8Array>>;

/** An event that check-append.ts has found valid. */
export interface NewEvent extends Parts {
  readonly action: string;
  readonly occurredAt: string;
  readonly actorId?: string | undefined;
  readonly actorType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly targetType?: string | undefined;
}

/** One client request: its events are stored together or not at all. */
export interface Append {
  readonly accountId: string;
  readonly receivedAt: string;
  /** Empty if the client sent no key. */
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  /** Id of the API key that admitted it; stored with its events, outside the hash. */
  readonly keyId?: string | undefined;
  /** Maximum events that the account may store in a month (UTC); undefined: any number. */
  readonly monthlyQuota?: number | undefined;
  /** Whether its events do not count against the monthly quota. */
  readonly isUncounted?: boolean;
  readonly events: readonly NewEvent[];
}

export interface PreparedAppend extends Append {
  /** 80 bytes per event, in the order of PARTS. */
  readonly salts: Uint8Array;
  /** {@link DIGESTS_BYTES} per event, in the order of PARTS. */
  readonly digests: Buffer;
  /** Approximate bytes that it takes in a statement. */
  readonly weight: number;
}

export const DIGESTS_BYTES = PARTS.length * DIGEST_BYTES;

/** Bytes of an event besides its parts: hashes, digests, salts, times, ids. */
const EVENT_OVERHEAD_BYTES = 600;

/** Computes salts and digests. Those of a large append are computed in pieces. */
export function* prepareAppend(
  append: Append,
  random: (size: number) => Uint8Array,
): Work<PreparedAppend> {
  const places = append.events.length * PARTS.length;
  const salts = random(places * SALT_BYTES);
  const digests = Buffer.allocUnsafe(places * DIGEST_BYTES);
  let weight = 0;
  let place = 0;
  yield* inBytes(append.events, (event) => {
    for (const field of PARTS) {
      writePartDigest(digests, salts, place, event[field]);
      place += 1;
    }
    const bytes = bytesOf(event);
    weight += EVENT_OVERHEAD_BYTES + bytes;
    return bytes;
  });
  return { ...append, salts, digests, weight };
}

/** Approximate bytes that the appends take in statements. */
export function weightOf(appends: readonly PreparedAppend[]): number {
  return appends.reduce((sum, { weight }) => sum + weight, 0);
}

/** Bytes of all parts together. */
function bytesOf(parts: Parts): number {
  let bytes = 0;
  for (const field of PARTS) bytes += parts[field].length;
  return bytes;
}
