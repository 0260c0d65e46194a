// What the two statements that append have in common: append-events.ts to one chain, append-to-chains.ts
// to several. Both provide `fresh`, the events with their chains and ordinals, and `fresh_keys`; STORE does
// the rest. The order of $3 to $24 is in this file alone.

import { textArray } from "@annals/postgres";
import type { ChainedEvent, Plan } from "../domain/plan-flush.ts";

/** A plan, and the account whose chain it is for. */
export interface PlannedAppend {
  readonly accountId: string;
  readonly plan: Plan;
}

/** $3 to $24 of both: columns of events, then of idempotency keys. Texts are as `textArray` encodes them. */
export type AppendColumns<CreatedAt> = [
  /** 32 bytes each: for each chain the head's hash before, then the hash of each of its events. */
  hashes: Uint8Array,
  ids: Uint8Array,
  actions: Uint8Array,
  occurredAts: Uint8Array,
  receivedAts: Uint8Array,
  createdAt: CreatedAt,
  /** 160 bytes an event. */
  digests: Uint8Array,
  actors: Uint8Array,
  contexts: Uint8Array,
  diffs: Uint8Array,
  metadatas: Uint8Array,
  targets: Uint8Array,
  /** 80 bytes an event. */
  salts: Uint8Array,
  /** Of ids and types some may be null. */
  actorIds: Uint8Array,
  actorTypes: Uint8Array,
  targetIds: Uint8Array,
  targetTypes: Uint8Array,
  /** Of the API keys; null for audit entries of what no key did. */
  keyIds: Uint8Array,
  idempotencyKeys: readonly string[],
  /** 32 bytes a key. */
  requestSha256s: Uint8Array,
  firstSequences: readonly string[],
  eventCounts: readonly number[],
];

/** The values of {@link AppendColumns}: one array or one run of bytes a column, in the order of the plans. */
export function appendColumns<CreatedAt>(
  plans: readonly Plan[],
  createdAt: CreatedAt,
): AppendColumns<CreatedAt> {
  const events = plans.flatMap((plan) => plan.events);
  const appends = plans.flatMap((plan) => plan.appends);
  const remembered = plans.flatMap((plan) => plan.remembered);
  const texts = (of: (event: ChainedEvent) => string | Uint8Array | undefined) =>
    textArray(events.map((event) => of(event) ?? null));
  return [
    Buffer.from(plans.map(hashes).join(""), "hex"),
    texts(({ id }) => id),
    texts(({ event }) => event.action),
    texts(({ event }) => event.occurredAt),
    texts(({ receivedAt }) => receivedAt),
    createdAt,
    Buffer.concat(appends.map(({ digests }) => digests)),
    texts(({ event }) => event.actor),
    texts(({ event }) => event.context),
    texts(({ event }) => event.diff),
    texts(({ event }) => event.metadata),
    texts(({ event }) => event.target),
    Buffer.concat(appends.map(({ salts }) => salts)),
    texts(({ event }) => event.actorId),
    texts(({ event }) => event.actorType),
    texts(({ event }) => event.targetId),
    texts(({ event }) => event.targetType),
    texts(({ keyId }) => keyId),
    remembered.map(({ idempotencyKey }) => idempotencyKey),
    Buffer.concat(remembered.map(({ requestSha256 }) => requestSha256)),
    remembered.map(({ firstSequence }) => String(firstSequence)),
    remembered.map(({ eventCount }) => eventCount),
  ];
}

function hashes({ before, events }: Plan): string {
  return before.hash + events.map(({ hash }) => hash).join("");
}

/** A table function of what is given for each event, and the names of its columns. */
export const GIVEN_EVENTS = `unnest(
    $4::text[], $5::text[], $6::text[], $7::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $16::text[], $17::text[], $18::text[], $19::text[], $20::text[])`;
export const EVENT_NAMES = `id, action, occurred_at, received_at, actor, context, diff, metadata, target,
    actor_id, actor_type, target_id, target_type, key_id`;

/** The same of each idempotency key. */
export const GIVEN_KEYS = "unnest($21::text[], $23::bigint[], $24::integer[])";
export const KEY_NAMES = "idempotency_key, first_sequence_number, event_count";

/** Whether the account, an expression, has none of the keys in use. */
export const keysAreNew = (accountId: string): string => `NOT EXISTS (
      SELECT FROM ledger.idempotency_keys
      WHERE idempotency_keys.account_id = ${accountId}
        AND idempotency_key = ANY ($21::text[])
        AND created_at > now() - interval '24 hours')`;

/**
 * Whether the last event of the chain is the one at its head. It keeps an event from having two successors,
 * also where the lock on the head has failed.
 */
export const ENDS_AT_HEAD = `coalesce((
      SELECT events.sequence_number = heads.sequence_number AND events.hash = heads.hash
      FROM ledger.events
      WHERE events.account_id = heads.account_id
      ORDER BY events.sequence_number DESC
      LIMIT 1
    ), heads.sequence_number = 0)`;

/**
 * `ordinal` of an event or a key counts from 1 over all that is given; `hash_ordinal` of an event is that
 * of the hash before its own. A key that is still stored after its 24 hours is overwritten.
 */
export const STORE = `stored AS (
  INSERT INTO ledger.events (
    account_id, sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
    actor, context, diff, metadata, target, salts, actor_id, actor_type, target_id, target_type, key_id)
  SELECT account_id, sequence_number, id, action, occurred_at, received_at, created_at,
    substring($9::bytea FROM (ordinal - 1) * 160 + 1 FOR 160),
    substring($3::bytea FROM (hash_ordinal - 1) * 32 + 1 FOR 32),
    substring($3::bytea FROM hash_ordinal * 32 + 1 FOR 32),
    actor, context, diff, metadata, target,
    substring($15::bytea FROM (ordinal - 1) * 80 + 1 FOR 80),
    actor_id, actor_type, target_id, target_type, key_id
  FROM fresh
), remembered AS (
  INSERT INTO ledger.idempotency_keys AS known (
    account_id, idempotency_key, request_sha256, first_sequence_number, event_count, created_at)
  SELECT account_id, idempotency_key, substring($22::bytea FROM (ordinal - 1) * 32 + 1 FOR 32),
    first_sequence_number, event_count, now()
  FROM fresh_keys
  ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
    request_sha256 = excluded.request_sha256,
    first_sequence_number = excluded.first_sequence_number,
    event_count = excluded.event_count,
    created_at = excluded.created_at
)`;
