// Erasures whose old rows may still be in the files of the tables. Called by worker/vacuum.ts and
// worker/erasure-measuring.ts.

import { statement } from "@annals/postgres";

export const TABLES = [
  "ledger.events",
  "ledger.blocks",
  "ledger.unindexed",
  "ledger.searches",
] as const;

export interface ErasuresRow {
  readonly pending: number;
  readonly running: number;
  readonly copies: number;
  /** Since the oldest that has not ended might begin, in seconds; negative if it may not yet. */
  readonly oldest_s: number | null;
  /** Since the oldest that is not vacuumed was done. */
  readonly unvacuumed_s: number | null;
}

export const measureErasures = statement<[], ErasuresRow>(
  `/* ledger.measure-erasures */
SELECT count(*) FILTER (WHERE status = 'pending')::integer AS pending,
  count(*) FILTER (WHERE status = 'running' AND done_at IS NULL)::integer AS running,
  count(*) FILTER (WHERE status = 'running' AND done_at IS NOT NULL)::integer AS copies,
  extract(epoch FROM statement_timestamp()
    - min(begins_at) FILTER (WHERE status IN ('pending', 'running')))::double precision AS oldest_s,
  extract(epoch FROM statement_timestamp()
    - min(done_at) FILTER (WHERE vacuumed_at IS NULL AND last_record > 0))::double precision AS unvacuumed_s
FROM ledger.erasures
WHERE status IN ('pending', 'running') OR done_at IS NOT NULL AND vacuumed_at IS NULL
`,
  { route: "all accounts, read" },
);

export interface UnvacuumedRow {
  readonly account_id: string;
  readonly id: string;
  readonly last_xid: string;
  readonly age_s: number;
}

type Page = [afterAccountId: string, afterId: string, limit: number];

/** Lists them by account and id, without those whose values are still to be taken out of the filter index. */
export const listUnvacuumed = statement<Page, UnvacuumedRow>(
  `/* ledger.list-unvacuumed */
SELECT account_id, id, last_xid,
  extract(epoch FROM statement_timestamp() - done_at)::double precision AS age_s
FROM ledger.erasures
WHERE done_at IS NOT NULL AND vacuumed_at IS NULL AND last_record > 0 AND (account_id, id) > ($1::text, $2::text)
  AND NOT EXISTS (SELECT 1 FROM ledger.unindexed WHERE unindexed.account_id = erasures.account_id)
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);

/** No row: another replica did it. */
export const recordVacuum = statement<[accountId: string, id: string], { readonly id: string }>(
  `/* ledger.record-vacuum */
UPDATE ledger.erasures SET vacuumed_at = statement_timestamp()
WHERE account_id = $1::text AND id = $2::text AND vacuumed_at IS NULL
RETURNING id
`,
  { route: "one account" },
);

export interface TimesRow {
  readonly can_vacuum: boolean;
  /** Seconds since the tables were vacuumed; of those, the one longer ago. Null if one never was. */
  readonly vacuumed_s: number | null;
}

export const getVacuumTimes = statement<[], TimesRow>(
  `/* ledger.get-vacuum-times */
SELECT current_setting('server_version_num')::integer >= 170000 AS can_vacuum,
  CASE WHEN count(greatest(last_vacuum, last_autovacuum)) = 4 THEN
    extract(epoch FROM clock_timestamp() - min(greatest(last_vacuum, last_autovacuum)))::double precision
  END AS vacuumed_s
FROM pg_catalog.pg_stat_user_tables
WHERE schemaname = 'ledger' AND relname IN ('events', 'blocks', 'unindexed', 'searches')
`,
  { route: "local" },
);
