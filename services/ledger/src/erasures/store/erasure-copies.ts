// What waits for the copies of erased values: requests whose events are all erased, and the
// services that have to say that they have no copy. Called by rpc/list-open-erasures.ts and
// rpc/confirm-erasure.ts.

import { statement } from "@annals/postgres";

export interface OpenErasureRow {
  readonly account_id: string;
  readonly id: string;
  readonly selector: string;
  readonly parts: number;
  readonly last_record: string;
  readonly age_s: number;
}

export interface OpenForExportsRow extends OpenErasureRow {
  /** The last event that it selects, and the last one of archives that is reported. */
  readonly up_to_sequence: string;
  readonly reported_through: string;
  /** The last event that retention has deleted. */
  readonly deleted_through: string;
}

type Page = [afterAccountId: string, afterId: string, limit: number];

export const listOpenForExports = statement<Page, OpenForExportsRow>(
  `/* ledger.list-open-for-exports */
SELECT erasures.account_id, id, selector, parts, last_record, up_to_sequence, reported_through,
  extract(epoch FROM statement_timestamp() - done_at)::double precision AS age_s,
  coalesce(deleted_through, 0) AS deleted_through
FROM ledger.erasures LEFT JOIN ledger.lifecycles ON lifecycles.account_id = erasures.account_id
WHERE status = 'running' AND done_at IS NOT NULL AND exports_cleared_at IS NULL
  AND (erasures.account_id, id) > ($1::text, $2::text)
ORDER BY erasures.account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);

/** Lists those that the export service has confirmed, or all if it is not waited for. */
export const listOpenForWebhooks = statement<[...Page, awaitsExports: boolean], OpenErasureRow>(
  `/* ledger.list-open-for-webhooks */
SELECT account_id, id, selector, parts, last_record,
  extract(epoch FROM statement_timestamp() - greatest(done_at, exports_cleared_at))::double precision AS age_s
FROM ledger.erasures
WHERE status = 'running' AND done_at IS NOT NULL AND webhooks_cleared_at IS NULL
  AND (exports_cleared_at IS NOT NULL OR NOT $4::boolean)
  AND (account_id, id) > ($1::text, $2::text)
ORDER BY account_id, id
LIMIT $3::integer
`,
  { route: "all accounts, read" },
);

type Confirmation = [accountId: string, id: string];

/** No row: it has been confirmed, or is not waited for. */
export const confirmExports = statement<Confirmation, { readonly id: string }>(
  `/* ledger.confirm-exports */
UPDATE ledger.erasures SET exports_cleared_at = statement_timestamp()
WHERE account_id = $1::text AND id = $2::text AND status = 'running' AND done_at IS NOT NULL
  AND exports_cleared_at IS NULL
RETURNING id
`,
  { route: "one account" },
);

export const confirmWebhooks = statement<Confirmation, { readonly id: string }>(
  `/* ledger.confirm-webhooks */
UPDATE ledger.erasures SET webhooks_cleared_at = statement_timestamp()
WHERE account_id = $1::text AND id = $2::text AND status = 'running' AND done_at IS NOT NULL
  AND webhooks_cleared_at IS NULL
RETURNING id
`,
  { route: "one account" },
);
