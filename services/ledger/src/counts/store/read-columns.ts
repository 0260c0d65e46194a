// Reads what is counted of those of some events, given by their numbers, that match a filter: when they
// occurred, and their values in columns. Called by counted-events.ts, once for all columns of a request. It
// compares no parts. An event that retention has deleted has no row.

import { statement } from "@annals/postgres";
import { COLUMNS } from "../rules/counted-field.ts";
import { filterConditions, type FilterParams } from "../../store/find-matches.ts";

type Params = [
  accountId: string,
  /** They descend. */
  numbers: readonly number[],
  /** Names of the columns that are wanted. */
  columns: readonly string[],
  ...FilterParams,
];

type Column = (typeof COLUMNS)[number];

/** Each array has the same events in the same order; null: no event matches, or the column is not wanted. */
export type ColumnsRow = { readonly occurred_at: readonly string[] | null } & {
  readonly [Name in Column]: readonly (string | null)[] | null;
};

const valuesOf = (name: Column) =>
  `array_to_json(array_agg(${name}) FILTER (WHERE '${name}' = ANY ($3::text[]))) AS ${name}`;

/**
 * An event is one of the numbers $2. The range is for PostgreSQL: whatever plan it makes, it reads no event
 * above the first number or below the last one.
 */
export const IS_ASKED = `sequence_number = ANY ($2::bigint[])
      AND sequence_number BETWEEN ($2::bigint[])[cardinality($2::bigint[])] AND ($2::bigint[])[1]`;

export const readColumns = statement<Params, ColumnsRow>(
  `/* ledger.read-columns */
SELECT array_to_json(array_agg(occurred_at)) AS occurred_at,
  ${COLUMNS.map(valuesOf).join(",\n  ")}
FROM (
  SELECT occurred_at, ${COLUMNS.join(", ")} FROM ledger.events
  WHERE account_id = $1::text AND ${IS_ASKED}
    AND ${filterConditions(4)}
  ORDER BY sequence_number DESC
) AS event
`,
  { route: "one account" },
);
