// Compares a clock with that of the database. Called by each service that has one, every few seconds, and by
// the commands that append.

import type { ComparedClock } from "@annals/contract";
import { type Database, statement } from "./statement.ts";

const getTime = statement<[], { readonly micros: string }>(
  `/* postgres.get-time */
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros
`,
  { route: "local" },
);

export async function compareClock(clock: ComparedClock, database: Database): Promise<void> {
  const end = clock.begin();
  const [row] = await database.run(getTime, []);
  if (row) end(Number(row.micros));
}
