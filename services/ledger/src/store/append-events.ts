// Appends events to a chain and moves its head, in one statement: all of it or nothing. The
// statement itself holds the conditions: the head is the one that the hashes were computed from,
// and no idempotency key of the group is in use. Where one of them fails it stores nothing and
// returns no row. It waits for whoever holds the head's row lock, then looks again.

import { statement } from "@annals/postgres";

/** Texts as `textArray` lays them out; of ids, types and targets some may be null. */
export type AppendParams = [
  accountId: string,
  /** Sequence number of the head before. */
  headSequence: string,
  /** 32 bytes each: the head's hash before, then the hash of each event. */
  hashes: Uint8Array,
  ids: Uint8Array,
  actions: Uint8Array,
  occurredAts: Uint8Array,
  receivedAts: Uint8Array,
  /** One for the whole group. */
  createdAt: string,
  /** 160 bytes an event. */
  digests: Uint8Array,
  actors: Uint8Array,
  contexts: Uint8Array,
  diffs: Uint8Array,
  metadatas: Uint8Array,
  targets: Uint8Array,
  /** 80 bytes an event. */
  salts: Uint8Array,
  actorIds: Uint8Array,
  actorTypes: Uint8Array,
  targetIds: Uint8Array,
  targetTypes: Uint8Array,
  idempotencyKeys: readonly string[],
  /** 32 bytes a key. */
  requestSha256s: Uint8Array,
  firstSequences: readonly string[],
  eventCounts: readonly number[],
  /** YYYY-MM. */
  month: string,
  /** Sequence number of the last event before the month. */
  monthStart: string,
];

// An idempotency key that is still here after its 24 hours is taken over.
export const appendEvents = statement<
  AppendParams,
  { readonly sequence_number: string }
>(`/* ledger.append-events */
WITH moved AS (
  UPDATE ledger.heads SET
    sequence_number = $2::bigint + cardinality($4::text[]),
    hash = substring($3::bytea FROM cardinality($4::text[]) * 32 + 1 FOR 32),
    month = $24::text,
    month_start = $25::bigint
  WHERE account_id = $1::text
    AND sequence_number = $2::bigint
    AND hash = substring($3::bytea FROM 1 FOR 32)
    AND NOT EXISTS (
      SELECT FROM ledger.idempotency_keys
      WHERE idempotency_keys.account_id = $1::text
        AND idempotency_key = ANY ($20::text[])
        AND created_at > now() - interval '24 hours')
  RETURNING sequence_number
), fresh AS (
  SELECT given.*
  FROM moved, unnest(
    $4::text[], $5::text[], $6::text[], $7::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $16::text[], $17::text[], $18::text[], $19::text[]
  ) WITH ORDINALITY AS given (
    id, action, occurred_at, received_at, actor, context, diff, metadata, target,
    actor_id, actor_type, target_id, target_type, place)
), chained AS (
  INSERT INTO ledger.chain (
    account_id, sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash)
  SELECT $1::text, $2::bigint + place, id, action, occurred_at, received_at, $8::text,
    substring($9::bytea FROM (place::integer - 1) * 160 + 1 FOR 160),
    substring($3::bytea FROM (place::integer - 1) * 32 + 1 FOR 32),
    substring($3::bytea FROM place::integer * 32 + 1 FOR 32)
  FROM fresh
), kept AS (
  INSERT INTO ledger.payloads (
    account_id, sequence_number, actor, context, diff, metadata, target, salts,
    actor_id, actor_type, target_id, target_type)
  SELECT $1::text, $2::bigint + place, actor, context, diff, metadata, target,
    substring($15::bytea FROM (place::integer - 1) * 80 + 1 FOR 80),
    actor_id, actor_type, target_id, target_type
  FROM fresh
), remembered AS (
  INSERT INTO ledger.idempotency_keys AS known (
    account_id, idempotency_key, request_sha256, first_sequence_number, event_count, created_at)
  SELECT $1::text, given.idempotency_key, substring($21::bytea FROM (place::integer - 1) * 32 + 1 FOR 32),
    given.first_sequence_number, given.event_count, now()
  FROM moved, unnest($20::text[], $22::bigint[], $23::integer[])
    WITH ORDINALITY AS given (idempotency_key, first_sequence_number, event_count, place)
  ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
    request_sha256 = excluded.request_sha256,
    first_sequence_number = excluded.first_sequence_number,
    event_count = excluded.event_count,
    created_at = excluded.created_at
)
SELECT sequence_number FROM moved
`);
