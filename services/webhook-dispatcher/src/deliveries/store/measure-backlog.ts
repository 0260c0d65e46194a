// How many deliveries of all accounts wait or are in flight, and for how long the oldest has been due. It
// reads the index of the pending deliveries, and no row of a finished one.

import { statement } from "@annals/postgres";

export interface BacklogRow {
  readonly pending: string;
  readonly oldest_due_s: number;
}

export const measureBacklog = statement<[now: string], BacklogRow>(
  `/* webhooks.measure-backlog */
SELECT count(*) AS pending,
  greatest(extract(epoch FROM greatest(statement_timestamp(), $1::timestamptz) - min(due_at)), 0)::float8 AS oldest_due_s
FROM webhooks.deliveries
WHERE due_at IS NOT NULL
`,
  { route: "all accounts, read" },
);
