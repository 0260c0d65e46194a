// Appends to several chains in one transaction, like append-events.ts to one. Each chain is appended to, or
// not, independently: a chain whose head has moved, or one of whose keys is in use, has no row in the result.
// Nor does a chain whose head is locked, so that no account's events wait for those of another.

import { statement } from "@annals/postgres";
import {
  type AppendColumns,
  appendColumns,
  ENDS_AT_HEAD,
  EVENT_NAMES,
  GIVEN_EVENTS,
  GIVEN_KEYS,
  KEY_NAMES,
  keysAreNew,
  type PlannedAppend,
  STORE,
} from "./append-parts.ts";

/** Names every account once. All other parameters of chains are in the order of the accounts. */
type AppendToChainsParams = [
  accountIds: readonly string[],
  /** Sequence numbers of the heads before the append. */
  headSequences: readonly string[],
  ...AppendColumns<readonly string[]>,
  /** Months as YYYY-MM. */
  months: readonly string[],
  /** Sequence numbers of the last events before the month. */
  monthStarts: readonly string[],
  /** Number of events of each chain, and of all chains before it. */
  counts: readonly number[],
  countsBefore: readonly number[],
  /** Chain that each event, and each key, belongs to, counted from 1. */
  chainsOfEvents: readonly number[],
  chainsOfKeys: readonly number[],
];

export function appendToChainsParams(planned: readonly PlannedAppend[]): AppendToChainsParams {
  const plans = planned.map(({ plan }) => plan);
  const counts = plans.map(({ events }) => events.length);
  let before = 0;
  const countsBefore = counts.map((count) => (before += count) - count);
  const createdAts = plans.map(({ createdAt }) => createdAt);
  return [
    planned.map(({ accountId }) => accountId),
    plans.map((plan) => String(plan.before.sequence)),
    ...appendColumns(plans, createdAts),
    plans.map(({ after }) => after.month),
    plans.map(({ after }) => String(after.monthStart)),
    counts,
    countsBefore,
    plans.flatMap(({ events }, index) => events.map(() => index + 1)),
    plans.flatMap(({ remembered }, index) => remembered.map(() => index + 1)),
  ];
}

// The free heads are one array, not a join: with many accounts PostgreSQL would join them by a nested loop.
//
// If a key of one chain's append is in use in another chain, that chain does not move either: it is then
// appended to on its own.
export const appendToChains = statement<AppendToChainsParams, { readonly account_id: string }>(
  `/* ledger.append-to-chains */
WITH given AS (
  SELECT account_id, head_sequence, created_at, month, month_start, events,
    events_before, chain, (events_before + chain)::integer AS hash_ordinal
  FROM unnest($1::text[], $2::bigint[], $8::text[], $25::text[], $26::bigint[], $27::integer[], $28::integer[])
    WITH ORDINALITY AS given (
      account_id, head_sequence, created_at, month, month_start, events, events_before, chain)
), free AS (
  SELECT heads.account_id
  FROM ledger.heads
  WHERE heads.account_id = ANY ($1::text[])
  FOR UPDATE SKIP LOCKED
), moved AS (
  UPDATE ledger.heads SET
    sequence_number = head_sequence + events,
    hash = substring($3::bytea FROM (hash_ordinal - 1 + events) * 32 + 1 FOR 32),
    month = given.month,
    month_start = given.month_start
  FROM given
  WHERE heads.account_id = given.account_id
    AND given.account_id = ANY (ARRAY (SELECT free.account_id FROM free))
    AND sequence_number = head_sequence
    AND hash = substring($3::bytea FROM (hash_ordinal - 1) * 32 + 1 FOR 32)
    AND ${ENDS_AT_HEAD}
    AND ${keysAreNew("given.account_id")}
  RETURNING given.account_id, head_sequence, created_at, events_before, chain
), fresh AS (
  SELECT account_id, head_sequence + ordinal - events_before AS sequence_number, created_at,
    ordinal::integer AS ordinal, (ordinal + chain - 1)::integer AS hash_ordinal, ${EVENT_NAMES}
  FROM moved JOIN
    ROWS FROM (${GIVEN_EVENTS}, unnest($29::integer[])) WITH ORDINALITY
    AS event (${EVENT_NAMES}, chain, ordinal) USING (chain)
), fresh_keys AS (
  SELECT account_id, ordinal::integer AS ordinal, ${KEY_NAMES}
  FROM moved JOIN
    ROWS FROM (${GIVEN_KEYS}, unnest($30::integer[])) WITH ORDINALITY
    AS key (${KEY_NAMES}, chain, ordinal) USING (chain)
), ${STORE}
SELECT account_id FROM moved
`,
  { route: "some accounts" },
);
