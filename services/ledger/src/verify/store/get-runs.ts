// When the events of a chunk occurred, as runs (0001_ledger.sql): those that the filter index has, and those
// that its events give. Called by compare-runs.ts. The two are two statements, because a distributed
// PostgreSQL runs a function that reads events only by itself.

import { statement } from "@annals/postgres";
import type { Runs } from "../../counts/rules/wrong-run.ts";

type Params = [accountId: string, base: number];

/** No row: the index does not have the chunk. */
export const getRuns = statement<Params, Runs>(
  `/* ledger.get-runs */
SELECT minutes, quarters FROM ledger.segments
WHERE account_id = $1::text AND level = 0 AND base = $2::bigint
`,
  { route: "one account" },
);

/** Makes the runs by minutes and those by quarters. */
export const makeRuns = statement<Params, { readonly runs: readonly [Buffer, Buffer] }>(
  `/* ledger.make-runs */
SELECT ledger.runs_of($1::text COLLATE "C", $2::bigint) AS runs
`,
  { route: "one account" },
);
