// Appends events to a chain and moves its head, in one statement: all of it or nothing. The statement itself
// holds the conditions: the head is the one that the hashes were computed from, the last event of the chain
// is the one at the head, and no idempotency key of the group is in use. If one of them fails, it stores
// nothing and returns no row. It waits for the head's row lock, then checks the head again.

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

type AppendParams = [
  accountId: string,
  /** Sequence number of the head before the append. */
  headSequence: string,
  ...AppendColumns<string>,
  /** Month as YYYY-MM. */
  month: string,
  /** Sequence number of the last event before the month. */
  monthStart: string,
];

export function appendParams({ accountId, plan }: PlannedAppend): AppendParams {
  return [
    accountId,
    String(plan.before.sequence),
    ...appendColumns([plan], plan.createdAt),
    plan.after.month,
    String(plan.after.monthStart),
  ];
}

export const appendEvents = statement<AppendParams, { readonly sequence_number: string }>(
  `/* ledger.append-events */
WITH moved AS (
  UPDATE ledger.heads SET
    sequence_number = $2::bigint + cardinality($4::text[]),
    hash = substring($3::bytea FROM cardinality($4::text[]) * 32 + 1 FOR 32),
    month = $25::text,
    month_start = $26::bigint
  WHERE account_id = $1::text
    AND sequence_number = $2::bigint
    AND hash = substring($3::bytea FROM 1 FOR 32)
    AND ${ENDS_AT_HEAD}
    AND ${keysAreNew("$1::text")}
  RETURNING sequence_number
), fresh AS (
  SELECT $1::text AS account_id, $2::bigint + ordinal AS sequence_number, $8::text AS created_at,
    ordinal::integer AS ordinal, ordinal::integer AS hash_ordinal, ${EVENT_NAMES}
  FROM moved, ${GIVEN_EVENTS} WITH ORDINALITY AS given (${EVENT_NAMES}, ordinal)
), fresh_keys AS (
  SELECT $1::text AS account_id, ordinal::integer AS ordinal, ${KEY_NAMES}
  FROM moved, ${GIVEN_KEYS} WITH ORDINALITY AS given (${KEY_NAMES}, ordinal)
), ${STORE}
SELECT sequence_number FROM moved
`,
  { route: "one account" },
);
