// Appends events to a chain and moves its head, in one statement: all of it or nothing. The
// statement itself holds the conditions: the head is the one that the hashes were computed from,
// and no idempotency key of the group is in use. Where one of them fails it stores nothing and
// returns no row. It waits for whoever holds the head's row lock, then looks again.

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

export type AppendParams = [
  accountId: string,
  /** Sequence number of the head before. */
  headSequence: string,
  ...AppendColumns<string>,
  /** YYYY-MM. */
  month: string,
  /** Sequence number of the last event before the month. */
  monthStart: string,
];

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
    AND ${keysAreNew("$1::text")}
  RETURNING sequence_number
), fresh AS (
  SELECT $1::text AS account_id, $2::bigint + place AS sequence_number, $8::text AS created_at,
    place::integer AS place, place::integer AS hash_place, ${EVENT_NAMES}
  FROM moved, ${GIVEN_EVENTS} WITH ORDINALITY AS given (${EVENT_NAMES}, place)
), fresh_keys AS (
  SELECT $1::text AS account_id, place::integer AS place, ${KEY_NAMES}
  FROM moved, ${GIVEN_KEYS} WITH ORDINALITY AS given (${KEY_NAMES}, place)
), ${STORE}
SELECT sequence_number FROM moved
`);
