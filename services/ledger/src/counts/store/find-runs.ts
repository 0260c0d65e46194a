// Reads when the events of some chunks occurred: the runs of the filter index (ledger.segments), for as many
// chunks as fit into a number of bytes, in the order in which they are asked for. Called by read-segments.ts.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** Bases of chunks in the order of the search. */
  bases: readonly number[],
  /** What the runs are by; null: none are needed. */
  unit: "minutes" | "quarters" | null,
  maxBytes: number,
];

export interface RunsRow {
  readonly base: string;
  /** Least and greatest of the chunk; empty if it has no event. */
  readonly earliest: string;
  readonly latest: string;
  readonly first_received: string;
  readonly last_received: string;
  readonly runs: Buffer;
}

export const findRuns = statement<Params, RunsRow>(
  `/* ledger.find-runs */
SELECT base, earliest, latest, first_received, last_received, runs
FROM (
  SELECT found.*, asked.place, sum(octet_length(runs)) OVER (ORDER BY asked.place ROWS UNBOUNDED PRECEDING) AS bytes
  FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (number, place)
  CROSS JOIN LATERAL (
    SELECT base, earliest, latest, first_received, last_received,
      CASE $3::text WHEN 'minutes' THEN minutes WHEN 'quarters' THEN quarters ELSE '' END AS runs
    FROM ledger.segments
    WHERE account_id = $1::text AND level = 0 AND base = asked.number
    LIMIT 1
  ) AS found
) AS measured
WHERE bytes <= $4::bigint
ORDER BY place
`,
  { route: "one account" },
);
