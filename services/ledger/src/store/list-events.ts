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

const PAYLOAD_FILTERS = `($7::text IS NULL OR actor_id = $7::text)
    AND ($8::text IS NULL OR actor_type = $8::text)
    AND ($9::text IS NULL OR target_id = $9::text)
    AND ($10::text IS NULL OR target_type = $10::text)`;

const CHAIN_FILTERS = `($4::text IS NULL OR action = $4::text)
    AND ($5::text IS NULL OR action >= $5::text)
    AND ($6::text IS NULL OR action < $6::text)
    AND ($11::text IS NULL OR occurred_at >= $11::text)
    AND ($12::text IS NULL OR occurred_at < $12::text)`;

const read = (table: string): string => `${table}.account_id = $1::text
  AND ($2::bigint IS NULL OR ${table}.sequence_number > $2::bigint)
  AND ($3::bigint IS NULL OR ${table}.sequence_number < $3::bigint)
  AND ($13::bigint[] IS NULL OR ${table}.sequence_number = ANY ($13::bigint[]))`;

/**
 * The events of an account that match a filter, of both tables: $1 to $13 of ListParams. `number` is the
 * sequence number in the order of which they are read.
 */
export interface Matching {
  readonly from: string;
  readonly number: string;
}

/** Reads the payloads of those events alone that the chain does not exclude. */
export const CHAIN_FIRST: Matching = {
  from: `FROM ledger.chain
CROSS JOIN LATERAL (
  SELECT actor, context, diff, metadata, target, salts, actor_type, target_type FROM ledger.payloads
  WHERE payloads.account_id = $1::text AND payloads.sequence_number = chain.sequence_number
    AND ${PAYLOAD_FILTERS}
  LIMIT 1
) AS payload
WHERE ${read("chain")}
    AND ${CHAIN_FILTERS}`,
  number: "chain.sequence_number",
};

/** Reads the chain for those events alone whose payloads match: for a filter by actor or target. */
export const PAYLOADS_FIRST: Matching = {
  from: `FROM ledger.payloads
CROSS JOIN LATERAL (
  SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash
  FROM ledger.chain
  WHERE chain.account_id = $1::text AND chain.sequence_number = payloads.sequence_number
    AND ${CHAIN_FILTERS}
  LIMIT 1
) AS chain
WHERE ${read("payloads")}
    AND ${PAYLOAD_FILTERS}`,
  number: "payloads.sequence_number",
};

/** The statement for a filter. */
export interface Reads<Row> {
  readonly chainFirst: Statement<ListParams, Row>;
  readonly payloadsFirst: Statement<ListParams, Row>;
}

// The statements differ in what cannot be a parameter.
const inOrder = (base: string, direction: "ASC" | "DESC"): Reads<EventRow> => {
  const reading = (name: string, { from, number }: Matching) =>
    statement<ListParams, EventRow>(
      `/* ledger.${name} */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts
${from}
ORDER BY ${number} ${direction}
LIMIT $14::integer
`,
      { customPlan: true },
    );
  return {
    chainFirst: reading(base, CHAIN_FIRST),
    payloadsFirst: reading(`${base}-by-payload`, PAYLOADS_FIRST),
  };
};

export const listEventsAscending = inOrder("list-events-ascending", "ASC");
export const listEventsDescending = inOrder("list-events-descending", "DESC");
