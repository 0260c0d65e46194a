// Appends to several chains in one transaction, with the conditions of ledger.append, which append-events.ts
// calls for one chain. Each chain is appended to, or not, independently: a chain whose head has moved, or one
// of whose keys is in use, has no row in the result. Nor does a chain whose head is locked, so that no
// account's events wait for those of another. It works on sets of rows: a call of the function for each chain
// takes PostgreSQL two to three times the CPU (docs/adr/0045-one-function-appends-to-a-chain.md).

import { statement } from "@annals/postgres";
import { type AppendColumns, appendColumns, type PlannedAppend } from "./append-events.ts";

/** Every account once. What else is given for a chain is in the order of the accounts. */
type AppendToChainsParams = [
  accountIds: readonly string[],
  /** Sequence numbers of the heads before. */
  headSequences: readonly string[],
  ...AppendColumns<readonly string[]>,
  /** Sequence numbers of the last events before the month of `createdAt`. */
  monthStarts: readonly string[],
  /** Events of each chain, and of all those before it. */
  counts: readonly number[],
  countsBefore: readonly number[],
  /** Chain that each event, and each key, belongs to, counted from 1. */
  chainsOfEvents: readonly number[],
  chainsOfKeys: readonly number[],
  /** How long an idempotency key is in use. */
  idempotencyHours: number,
];

export function appendToChainsParams(
  planned: readonly PlannedAppend[],
  idempotencyHours: number,
): AppendToChainsParams {
  const plans = planned.map(({ plan }) => plan);
  const counts = plans.map(({ events }) => events.length);
  let before = 0;
  const countsBefore = counts.map((count) => (before += count) - count);
  const createdAts = plans.map(({ createdAt }) => createdAt);
  return [
    planned.map(({ accountId }) => accountId),
    plans.map((plan) => String(plan.before.sequence)),
    ...appendColumns(plans, createdAts),
    plans.map(({ after }) => String(after.monthStart)),
    counts,
    countsBefore,
    plans.flatMap(({ events }, index) => events.map(() => index + 1)),
    plans.flatMap(({ remembered }, index) => remembered.map(() => index + 1)),
    idempotencyHours,
  ];
}

const EVENT_NAMES = `id, action, occurred_at, received_at, actor, context, diff, metadata, target,
    actor_id, actor_type, target_id, target_type, key_id`;
const KEY_NAMES = "idempotency_key, first_sequence_number, event_count";

// In `fresh` the ordinal counts from 1 over all that is given, and the hash ordinal is that of the hash
// before the event's own.
//
// The free heads are one array, and not a join: if there are many accounts PostgreSQL would join them by a
// nested loop.
//
// A key of one chain's events that another chain has in use keeps that one from moving too: it is then
// appended to on its own.
export const appendToChains = statement<AppendToChainsParams, { readonly account_id: string }>(
  `/* ledger.append-to-chains */
WITH given AS (
  SELECT account_id, head_sequence, created_at, month_start, events,
    events_before, chain, (events_before + chain)::integer AS hash_ordinal
  FROM unnest($1::text[], $2::bigint[], $8::text[], $25::bigint[], $26::integer[], $27::integer[])
    WITH ORDINALITY AS given (
      account_id, head_sequence, created_at, month_start, events, events_before, chain)
), free AS (
  SELECT heads.account_id
  FROM ledger.heads
  WHERE heads.account_id = ANY ($1::text[])
  FOR NO KEY UPDATE SKIP LOCKED
), moved AS (
  UPDATE ledger.heads SET
    sequence_number = head_sequence + events,
    hash = substring($3::bytea FROM (hash_ordinal - 1 + events) * 32 + 1 FOR 32),
    created_at = given.created_at,
    month_start = given.month_start
  FROM given
  WHERE heads.account_id = given.account_id
    AND given.account_id = ANY (ARRAY (SELECT free.account_id FROM free))
    AND sequence_number = head_sequence
    AND hash = substring($3::bytea FROM (hash_ordinal - 1) * 32 + 1 FOR 32)
    AND coalesce((
      SELECT events.sequence_number = heads.sequence_number AND events.hash = heads.hash
      FROM ledger.events
      WHERE events.account_id = heads.account_id
      ORDER BY events.sequence_number DESC
      LIMIT 1
    ), heads.sequence_number = 0)
    AND NOT EXISTS (
      SELECT 1 FROM ledger.idempotency_keys
      WHERE idempotency_keys.account_id = given.account_id
        AND idempotency_key = ANY ($21::text[])
        AND created_at > now() - $30::integer * interval '1 hour')
  RETURNING given.account_id, head_sequence, given.created_at, events_before, chain
), fresh AS (
  SELECT account_id, head_sequence + ordinal - events_before AS sequence_number, created_at,
    ordinal::integer AS ordinal, (ordinal + chain - 1)::integer AS hash_ordinal, ${EVENT_NAMES}
  FROM moved JOIN
    unnest(
      $4::text[], $5::text[], $6::text[], $7::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
      $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $28::integer[]) WITH ORDINALITY
    AS event (${EVENT_NAMES}, chain, ordinal) USING (chain)
), fresh_keys AS (
  SELECT account_id, ordinal::integer AS ordinal, ${KEY_NAMES}
  FROM moved JOIN
    unnest($21::text[], $23::bigint[], $24::integer[], $29::integer[]) WITH ORDINALITY
    AS key (${KEY_NAMES}, chain, ordinal) USING (chain)
), stored AS (
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
  INSERT INTO ledger.idempotency_keys (
    account_id, idempotency_key, request_sha256, first_sequence_number, event_count, created_at)
  SELECT account_id, idempotency_key, substring($22::bytea FROM (ordinal - 1) * 32 + 1 FOR 32),
    first_sequence_number, event_count, now()
  FROM fresh_keys
  ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
    request_sha256 = excluded.request_sha256,
    first_sequence_number = excluded.first_sequence_number,
    event_count = excluded.event_count,
    created_at = excluded.created_at
)
SELECT account_id FROM moved
`,
  { route: "some accounts" },
);
