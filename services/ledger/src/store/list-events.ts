// One page of the events of an account that match a filter, by keyset on the sequence number, in
// either direction. A null parameter does not filter. The bounds of the page are on both tables:
// PostgreSQL does not carry a bound over a join, and the index that is read may belong to either.
// The statement has a custom plan (it depends on which filters are there), so each single filter reads its
// own index in the order of the page.

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
  limit: number,
];

/** Where a page begins and how long it is, in ListParams. */
export const AFTER = 1;
export const LIMIT = 12;

/** The events of an account that match a filter, of both tables: $1 to $12 of ListParams. */
export const MATCHING_EVENTS = `FROM ledger.chain
JOIN ledger.payloads USING (account_id, sequence_number)
WHERE chain.account_id = $1::text
  AND ($2::bigint IS NULL OR chain.sequence_number > $2::bigint AND payloads.sequence_number > $2::bigint)
  AND ($3::bigint IS NULL OR chain.sequence_number < $3::bigint AND payloads.sequence_number < $3::bigint)
  AND ($4::text IS NULL OR action = $4::text)
  AND ($5::text IS NULL OR action >= $5::text)
  AND ($6::text IS NULL OR action < $6::text)
  AND ($7::text IS NULL OR actor_id = $7::text)
  AND ($8::text IS NULL OR actor_type = $8::text)
  AND ($9::text IS NULL OR target_id = $9::text)
  AND ($10::text IS NULL OR target_type = $10::text)
  AND ($11::text IS NULL OR occurred_at >= $11::text)
  AND ($12::text IS NULL OR occurred_at < $12::text)`;

// The two statements differ in one word, which cannot be a parameter.
const inOrder = (name: string, direction: "ASC" | "DESC"): Statement<ListParams, EventRow> =>
  statement(
    `/* ledger.${name} */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts
${MATCHING_EVENTS}
ORDER BY chain.sequence_number ${direction}
LIMIT $13::integer
`,
    { customPlan: true },
  );

export const listEventsAscending = inOrder("list-events-ascending", "ASC");
export const listEventsDescending = inOrder("list-events-descending", "DESC");
