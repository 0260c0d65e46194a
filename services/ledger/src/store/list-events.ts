// One page of the events of an account that match a filter, by keyset on the sequence number, in either
// direction, from the events of a range or from some of them by their numbers. It reads event after event in
// order until the page is full: search/ sees to it that there are few to read. A null parameter does not
// filter.
//
// The payloads are looked up and not joined: for an account that grew since the last ANALYZE PostgreSQL
// expects one row, and may join by reading all of it once a row. The statement has a custom plan, because it
// depends on which parameters are null.

import { type Statement, statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";

export type ListParams = [
  accountId: string,
  afterSequence: string | null,
  beforeSequence: string | null,
  action: string | null,
  /** Inclusive and exclusive ends of a range of actions with the same prefix. */
  actionFrom: string | null,
  actionTo: string | null,
  actorId: string | null,
  actorType: string | null,
  targetId: string | null,
  targetType: string | null,
  occurredFrom: string | null,
  occurredTo: string | null,
  /** Of the events to read; null: all between the bounds. */
  numbers: readonly number[] | null,
  limit: number,
];

/** The events of an account that match a filter, of both tables: $1 to $13 of ListParams. */
export const MATCHING_EVENTS = `FROM ledger.chain
CROSS JOIN LATERAL (
  SELECT actor, context, diff, metadata, target, salts FROM ledger.payloads
  WHERE payloads.account_id = $1::text AND payloads.sequence_number = chain.sequence_number
    AND ($7::text IS NULL OR actor_id = $7::text)
    AND ($8::text IS NULL OR actor_type = $8::text)
    AND ($9::text IS NULL OR target_id = $9::text)
    AND ($10::text IS NULL OR target_type = $10::text)
  LIMIT 1
) AS payload
WHERE chain.account_id = $1::text
  AND ($2::bigint IS NULL OR chain.sequence_number > $2::bigint)
  AND ($3::bigint IS NULL OR chain.sequence_number < $3::bigint)
  AND ($4::text IS NULL OR action = $4::text)
  AND ($5::text IS NULL OR action >= $5::text)
  AND ($6::text IS NULL OR action < $6::text)
  AND ($11::text IS NULL OR occurred_at >= $11::text)
  AND ($12::text IS NULL OR occurred_at < $12::text)
  AND ($13::bigint[] IS NULL OR chain.sequence_number = ANY ($13::bigint[]))`;

// The two statements differ in one word, which cannot be a parameter.
const inOrder = (name: string, direction: "ASC" | "DESC"): Statement<ListParams, EventRow> =>
  statement(
    `/* ledger.${name} */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts
${MATCHING_EVENTS}
ORDER BY chain.sequence_number ${direction}
LIMIT $14::integer
`,
    { customPlan: true },
  );

export const listEventsAscending = inOrder("list-events-ascending", "ASC");
export const listEventsDescending = inOrder("list-events-descending", "DESC");
