// Reads what is counted of those of some events, given by their numbers, that match a filter: when they
// occurred, and their values of a field in a part. As many as fit into a number of bytes of the part: that of
// the first one is always read. It compares no parts. An event that retention has deleted has no row. Called
// by counted-events.ts. Values are found by the function that makes the index, so both know the same.

import { statement } from "@annals/postgres";
import { IS_ASKED } from "./read-columns.ts";
import { filterConditions, type FilterParams } from "../../store/find-matches.ts";

type Params = [
  accountId: string,
  /** They descend. */
  numbers: readonly number[],
  /** One of the parts. */
  part: string,
  /** Names of members in it. */
  members: readonly string[],
  type: string,
  ignoreCase: boolean,
  maxBytes: number,
  ...FilterParams,
];

/** Each array has the same events in the same order; null: no event matches. */
export interface ValuesRow {
  readonly numbers: readonly number[] | null;
  readonly occurred_at: readonly string[] | null;
  readonly values: readonly (readonly string[])[] | null;
  /** Of the parts that were read; null: of none. */
  readonly bytes: string | null;
  /** The last number whose part was read. */
  readonly last: string | null;
}

const PARTS = ["actor", "context", "diff", "metadata", "target"];
const PART = `CASE $3::text ${PARTS.map((part) => `WHEN '${part}' THEN ${part}`).join(" ")} END`;

/** A part that does not have the last name, as most of most accounts, costs no call. */
const VALUES = `CASE WHEN strpos(part, to_json(($4::text[])[cardinality($4::text[])])::text || ':') > 0
    THEN ledger.values_of(part, $4::text[], $5::text, $6::boolean) ELSE '{}' END`;

export const readValues = statement<Params, ValuesRow>(
  `/* ledger.read-values */
SELECT array_to_json(array_agg(number)) AS numbers, array_to_json(array_agg(occurred_at)) AS occurred_at,
  json_agg(${VALUES}) AS values,
  max(bytes) AS bytes, min(number) AS last
FROM (
  SELECT event.*, sum(size) OVER (ORDER BY number DESC ROWS UNBOUNDED PRECEDING) AS bytes
  FROM (
    SELECT sequence_number AS number, occurred_at, ${PART} AS part, coalesce(octet_length(${PART}), 0) AS size
    FROM ledger.events
    WHERE account_id = $1::text AND ${IS_ASKED}
      AND ${filterConditions(8)}
    ORDER BY sequence_number DESC
  ) AS event
) AS measured
WHERE bytes - size < $7::bigint
`,
  { route: "one account" },
);
