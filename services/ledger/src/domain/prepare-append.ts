// What can be computed of an append before its place in the chain is known: salts and digests. Done
// outside the head's lock, so that the lock is held for as little work as possible.

import { FIELDS, fieldDigest, SALT_BYTES } from "@annals/chain";

/** The parts that can hold personal data, as canonical JSON objects. */
export type Parts = Readonly<Record<(typeof FIELDS)[number], string>>;

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
  /** Empty when the client sent none. */
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  /** Events that the account may store in a month of UTC; undefined: any number. */
  readonly monthlyQuota?: number | undefined;
  readonly events: readonly NewEvent[];
}

export interface PreparedEvent extends NewEvent {
  /** 80 bytes, in the order of FIELDS. */
  readonly salts: Uint8Array;
  /** 160 bytes, in the order of FIELDS. */
  readonly digests: Buffer;
}

export interface PreparedAppend extends Append {
  readonly events: readonly PreparedEvent[];
  /** Roughly the bytes it takes in a statement. */
  readonly weight: number;
}

/** Bytes of an event besides its parts: hashes, digests, salts, times, ids. */
const EVENT_OVERHEAD_BYTES = 600;

export function prepareAppend(
  append: Append,
  random: (size: number) => Uint8Array,
): PreparedAppend {
  const saltsOfEvent = FIELDS.length * SALT_BYTES;
  const salts = random(append.events.length * saltsOfEvent);
  let weight = 0;
  const events = append.events.map((event, index): PreparedEvent => {
    const own = salts.subarray(index * saltsOfEvent, (index + 1) * saltsOfEvent);
    const digests = FIELDS.map((field, place) =>
      fieldDigest(own.subarray(place * SALT_BYTES, (place + 1) * SALT_BYTES), event[field]),
    );
    weight += EVENT_OVERHEAD_BYTES;
    for (const field of FIELDS) weight += event[field].length;
    return { ...event, salts: own, digests: Buffer.concat(digests) };
  });
  return { ...append, events, weight };
}
