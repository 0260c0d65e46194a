// Reads what is counted of some events, given by their numbers: when they occurred, and their values of a
// field in a part. As many as fit into a number of bytes of the part: that of the first one is always read.
// An event that retention has deleted has no row. Called by counted-events.ts. Values are found by the
// function that makes the index, so both know the same.

import { statement } from "@annals/postgres";
import { IS_KEPT } from "../../store/find-matches.ts";

type Params = [
  accountId: string,
  numbers: readonly number[],
  /** One of the parts. */
  part: string,
  /** Names of members in it. */
  members: readonly string[],
  type: string,
  ignoreCase: boolean,
  maxBytes: number,
];

export interface ValuesRow {
  readonly number: string;
  /** Place, from 1, of the number among those that were asked for. */
  readonly place: string;
  readonly occurred_at: string;
  readonly values: readonly string[];
  /** Of the parts up to here. */
  readonly bytes: string;
}

const PARTS = ["actor", "context", "diff", "metadata", "target"];
const PART = `CASE $3::text ${PARTS.map((part) => `WHEN '${part}' THEN ${part}`).join(" ")} END`;

export const readValues = statement<Params, ValuesRow>(
  `/* ledger.read-values */
SELECT number, place, occurred_at, bytes,
  array_to_json(ledger.values_of(part, $4::text[], $5::text, $6::boolean)) AS values
FROM (
  SELECT asked.number, asked.place, event.*,
    coalesce(sum(size) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING), 0) AS bytes
  FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (number, place)
  CROSS JOIN LATERAL (
    SELECT occurred_at, ${PART} AS part, octet_length(${PART}) AS size
    FROM ledger.events
    WHERE account_id = $1::text AND sequence_number = asked.number AND ${IS_KEPT}
    LIMIT 1
  ) AS event
) AS measured
WHERE bytes - coalesce(size, 0) < $7::bigint
ORDER BY place
`,
  { route: "one account" },
);
