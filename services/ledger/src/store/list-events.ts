// Events of an account with their parts, as many as fit into a number of bytes: either those of a range, by
// keyset on the sequence number in either direction, or some by their numbers, compared with a filter. Called
// by the readers in search/, for pages of lists; stream-events.ts and list-values.ts read in the same way.
//
// Events of given numbers are looked up and not joined: for an account that has grown since the last ANALYZE,
// PostgreSQL expects one row, and may join by reading the whole account for each row. PostgreSQL knows the
// lengths of parts that are stored out of line without reading them.

import { type Statement, statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";
import { filterConditions, type FilterParams, IS_KEPT } from "./find-matches.ts";

export type RangeParams = [
  accountId: string,
  /** Both ends are included; null: no end. */
  from: string,
  to: string | null,
  limit: number,
  maxBytes: number,
];

export type NumbersParams = [
  accountId: string,
  /** Numbers in the order of the rows. */
  numbers: readonly number[],
  maxBytes: number,
  ...FilterParams,
];

/** What every row says about the others. */
export interface Measured {
  /** Bytes of the parts of this row and of all rows before it. Once they reach `maxBytes`, no row follows. */
  readonly bytes: string;
}

const SIZE = `octet_length(actor) + octet_length(context) + octet_length(diff) + octet_length(metadata)
      + octet_length(target)`;

const COLUMNS = `sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts, erased`;

/** What a statement may return of each event. */
const READ = `${COLUMNS}, actor_type, target_type, ${SIZE} AS size`;

/** The statement that reads a range. Its plan is custom: only then does PostgreSQL know the limit. */
export function readingRange<Row>(
  name: string,
  columns: string,
  direction: "ASC" | "DESC",
): Statement<RangeParams, Row & Measured> {
  const text = `/* ledger.${name} */
SELECT ${columns}, bytes
FROM (
  SELECT page.*, sum(size) OVER (ORDER BY sequence_number ${direction} ROWS UNBOUNDED PRECEDING) AS bytes
  FROM (
    SELECT ${READ}
    FROM ledger.events
    WHERE account_id = $1::text AND sequence_number >= $2::bigint
      AND ($3::bigint IS NULL OR sequence_number <= $3::bigint) AND ${IS_KEPT}
    ORDER BY sequence_number ${direction}
    LIMIT $4::integer
  ) AS page
) AS measured
WHERE bytes - size < $5::bigint
ORDER BY sequence_number ${direction}
`;
  return statement(text, { route: "one account", customPlan: true });
}

/** The events of the numbers $2 that match a filter, whose parameters begin with `$first`. */
export const ofNumbers = (
  first: number,
): string => `FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (number, place)
    CROSS JOIN LATERAL (
      SELECT ${READ} FROM ledger.events
      WHERE account_id = $1::text AND sequence_number = asked.number
        AND ${filterConditions(first)}
      LIMIT 1
    ) AS event`;

/** The statement that reads some numbers. */
export function readingNumbers<Row>(
  name: string,
  columns: string,
): Statement<NumbersParams, Row & Measured> {
  return statement(
    `/* ledger.${name} */
SELECT ${columns}, bytes
FROM (
  SELECT page.*, sum(size) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS bytes
  FROM (
    SELECT place, event.*
    ${ofNumbers(4)}
  ) AS page
) AS measured
WHERE bytes - size < $3::bigint
ORDER BY place
`,
    { route: "one account" },
  );
}

/** The statements that read rows of one kind. */
export interface Reads<Row> {
  readonly ascending: Statement<RangeParams, Row & Measured>;
  readonly descending: Statement<RangeParams, Row & Measured>;
  readonly numbers: Statement<NumbersParams, Row & Measured>;
}

export const listEvents: Reads<EventRow> = {
  ascending: readingRange("list-events-ascending", COLUMNS, "ASC"),
  descending: readingRange("list-events-descending", COLUMNS, "DESC"),
  numbers: readingNumbers("list-events-of-numbers", COLUMNS),
};
