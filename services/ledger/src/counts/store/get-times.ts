// When the events of an account occurred: the first and the last of those that the filter index has, and of
// so many behind it. Called by count-times.ts.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** The last number that is in the index, and the first that retention has left. */
  indexed: number,
  first: number,
  /** Events behind the index that are read at most. */
  limit: number,
];

interface Row {
  /** Null: the account has no event. */
  readonly earliest: string | null;
  readonly latest: string | null;
}

export const getTimes = statement<Params, Row>(
  `/* ledger.get-times */
SELECT least(segments.earliest, events.earliest) AS earliest, greatest(segments.latest, events.latest) AS latest
FROM (
  SELECT min(earliest) AS earliest, max(latest) AS latest FROM ledger.segments
  WHERE account_id = $1::text AND level = 0 AND base > $3::bigint - 1 - 4096 AND latest <> ''
) AS segments
CROSS JOIN (
  SELECT min(occurred_at) AS earliest, max(occurred_at) AS latest
  FROM (
    SELECT occurred_at FROM ledger.events
    WHERE account_id = $1::text AND sequence_number > greatest($2::bigint, $3::bigint - 1)
    ORDER BY sequence_number LIMIT $4::integer
  ) AS behind
) AS events
`,
  { route: "one account" },
);
