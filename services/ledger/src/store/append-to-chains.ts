// As append-events.ts, to several chains in one transaction. Each is appended to, or not, for itself: a chain
// whose head has moved, or one of whose keys is in use, has no row in the answer. Nor has one whose head
// somebody holds: nobody's events wait for those of another account.

import { statement } from "@annals/postgres";
import {
  type AppendColumns,
  EVENT_NAMES,
  GIVEN_EVENTS,
  GIVEN_KEYS,
  KEY_NAMES,
  keysAreNew,
  STORE,
} from "./append-parts.ts";

/** Every account once. What else is given for a chain is in the order of the accounts. */
export type AppendToChainsParams = [
  accountIds: readonly string[],
  /** Sequence numbers of the heads before. */
  headSequences: readonly string[],
  ...AppendColumns<readonly string[]>,
  /** YYYY-MM. */
  months: readonly string[],
  /** Sequence numbers of the last events before the month. */
  monthStarts: readonly string[],
  /** Events of each chain, and of all those before it. */
  counts: readonly number[],
  countsBefore: readonly number[],
  /** Of each event, and of each key, which of the chains it belongs to: from 1. */
  chainsOfEvents: readonly number[],
  chainsOfKeys: readonly number[],
];

// A key of one chain's events that another chain has in use keeps that one from moving too: it is then
// appended to for itself.
export const appendToChains = statement<
  AppendToChainsParams,
  { readonly account_id: string }
>(`/* ledger.append-to-chains */
WITH given AS (
  SELECT account_id, head_sequence, created_at, month, month_start, events,
    events_before, chain, (events_before + chain)::integer AS hash_place
  FROM unnest($1::text[], $2::bigint[], $8::text[], $24::text[], $25::bigint[], $26::integer[], $27::integer[])
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
    hash = substring($3::bytea FROM (hash_place - 1 + events) * 32 + 1 FOR 32),
    month = given.month,
    month_start = given.month_start
  FROM given JOIN free USING (account_id)
  WHERE heads.account_id = given.account_id
    AND sequence_number = head_sequence
    AND hash = substring($3::bytea FROM (hash_place - 1) * 32 + 1 FOR 32)
    AND ${keysAreNew("given.account_id")}
  RETURNING given.account_id, head_sequence, created_at, events_before, chain
), fresh AS (
  SELECT account_id, head_sequence + place - events_before AS sequence_number, created_at,
    place::integer AS place, (place + chain - 1)::integer AS hash_place, ${EVENT_NAMES}
  FROM moved JOIN
    ROWS FROM (${GIVEN_EVENTS}, unnest($28::integer[])) WITH ORDINALITY
    AS event (${EVENT_NAMES}, chain, place) USING (chain)
), fresh_keys AS (
  SELECT account_id, place::integer AS place, ${KEY_NAMES}
  FROM moved JOIN
    ROWS FROM (${GIVEN_KEYS}, unnest($29::integer[])) WITH ORDINALITY
    AS key (${KEY_NAMES}, chain, place) USING (chain)
), ${STORE}
SELECT account_id FROM moved
`);
