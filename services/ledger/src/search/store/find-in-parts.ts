// Compares some events of an account, given by their numbers, with a filter that asks for values in their
// parts, as far as their parts fit into a number of bytes: those of the first one are always read. Called by
// compared.ts. Values are found by the function that makes the index, so both know the same.

import { statement } from "@annals/postgres";
import { filterConditions, type FilterParams } from "../../store/find-matches.ts";

type Params = [
  accountId: string,
  /** In the order in which they are compared. */
  numbers: readonly number[],
  maxBytes: number,
  /** An array of `InParts` as JSON. */
  inParts: string,
  ...FilterParams,
];

interface Row {
  /** In order. Null: none matches. */
  readonly numbers: readonly number[] | null;
  /** Of the parts that were read; null: of none. */
  readonly bytes: string | null;
  /** Place, from 1, of the last number whose parts were read. */
  readonly last_place: string | null;
}

export const findInParts = statement<Params, Row>(
  `/* ledger.find-in-parts */
SELECT array_to_json(array_agg(number ORDER BY place) FILTER (
    WHERE ledger.has_values(actor, context, diff, metadata, target, $4::jsonb))) AS numbers,
  max(bytes) AS bytes, max(place) AS last_place
FROM (
  SELECT asked.number, asked.place, event.*, sum(size) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS bytes
  FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (number, place)
  CROSS JOIN LATERAL (
    SELECT actor, context, diff, metadata, target, octet_length(actor) + octet_length(context) + octet_length(diff)
      + octet_length(metadata) + octet_length(target) AS size
    FROM ledger.events
    WHERE account_id = $1::text AND sequence_number = asked.number
      AND ${filterConditions(5)}
    LIMIT 1
  ) AS event
) AS measured
WHERE bytes - size < $3::bigint
`,
  { route: "one account" },
);
