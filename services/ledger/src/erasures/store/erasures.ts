// The requests to erase. They are made, read and cancelled for clients by rpc/, and executed by
// worker/erasures.ts. A request that has ended keeps only a salted digest of its selector.

import { statement } from "@annals/postgres";

export type ErasureStatus = "pending" | "running" | "completed" | "cancelled";

export interface ErasureRow {
  readonly id: string;
  /** Null once it has ended. */
  readonly selector: string | null;
  readonly parts: number;
  readonly reference: string | null;
  readonly status: ErasureStatus;
  readonly up_to_sequence: string;
  readonly erased: string;
  readonly held: string;
  readonly created_at: string;
  readonly ended_at: string | null;
  /** Seconds since 1970 at which a pending one may begin. */
  readonly due_s: number;
  /** Seconds since 1970 at which each has happened. */
  readonly exports_cleared_s: number | null;
  readonly webhooks_cleared_s: number | null;
  readonly vacuumed_s: number | null;
}

const COLUMNS = `id, selector, parts, reference, status, up_to_sequence, erased, held, created_at, ended_at,
  extract(epoch FROM due_at)::double precision AS due_s,
  extract(epoch FROM exports_cleared_at)::double precision AS exports_cleared_s,
  extract(epoch FROM webhooks_cleared_at)::double precision AS webhooks_cleared_s,
  extract(epoch FROM vacuumed_at)::double precision AS vacuumed_s`;

type NewErasure = [
  accountId: string,
  id: string,
  selector: string,
  parts: number,
  reference: string | null,
  actor: string,
  upToSequence: string,
  delayHours: number,
  createdAt: string,
];

export const createErasure = statement<NewErasure, never>(
  `/* ledger.create-erasure */
INSERT INTO ledger.erasures (account_id, id, selector, parts, reference, actor, up_to_sequence, status, due_at,
  begins_at, created_at)
VALUES ($1::text, $2::text, $3::text, $4::smallint, $5::text, $6::text, $7::bigint, 'pending',
  statement_timestamp() + $8::integer * interval '1 hour', statement_timestamp() + $8::integer * interval '1 hour',
  $9::text)
`,
  { route: "one account" },
);

/** Call it under the lock of the head: then no other request is made meanwhile. */
export const countOpenErasures = statement<[accountId: string], { readonly open: number }>(
  `/* ledger.count-open-erasures */
SELECT count(*)::integer AS open FROM ledger.erasures
WHERE account_id = $1::text AND status IN ('pending', 'running')
`,
  { route: "one account" },
);

export const getErasure = statement<[accountId: string, id: string], ErasureRow>(
  `/* ledger.get-erasure */
SELECT ${COLUMNS} FROM ledger.erasures
WHERE account_id = $1::text AND id = $2::text
`,
  { route: "one account" },
);

type Page = [accountId: string, createdAt: string | null, id: string | null, limit: number];

/** A page, newest first. `createdAt` and `id` are those of the last one of the previous page, or null. */
export const listErasures = statement<Page, ErasureRow>(
  `/* ledger.list-erasures */
SELECT ${COLUMNS} FROM ledger.erasures
WHERE account_id = $1::text AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "one account" },
);

type Ended = [accountId: string, id: string, selectorSha256: Buffer, endedAt: string];

/** No row: it has begun, it has ended, or the account has no such request. */
export const cancelErasure = statement<Ended, { readonly id: string }>(
  `/* ledger.cancel-erasure */
UPDATE ledger.erasures
SET status = 'cancelled', selector = NULL, selector_sha256 = $3::bytea, ended_at = $4::text
WHERE account_id = $1::text AND id = $2::text AND status = 'pending'
RETURNING id
`,
  { route: "one account" },
);

export interface ErasureWorkRow {
  readonly account_id: string;
  readonly id: string;
}

/** Whether a request whose events are erased waits for each. */
type Awaits = [awaitsExports: boolean, awaitsWebhooks: boolean];

type FindWork = [afterAccountId: string, limit: number, ...Awaits];

/** The accounts after one, in the order of their ids, that have a due request, and one of these. */
export const findErasureWork = statement<FindWork, ErasureWorkRow>(
  `/* ledger.find-erasure-work */
SELECT account_id, min(id) AS id FROM ledger.erasures
WHERE account_id > $1::text AND status IN ('pending', 'running') AND due_at <= statement_timestamp()
  AND (done_at IS NULL
    OR (exports_cleared_at IS NOT NULL OR NOT $3::boolean) AND (webhooks_cleared_at IS NOT NULL OR NOT $4::boolean))
GROUP BY account_id
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);

type Claim = [accountId: string, id: string, leaseSeconds: number, ...Awaits];

export interface ClaimedErasure {
  readonly selector: string;
  readonly parts: number;
  readonly reference: string | null;
  readonly actor: string;
  readonly up_to_sequence: string;
  readonly done_through: string;
  /** Whether the parts of every event are erased. */
  readonly is_done: boolean;
}

/**
 * No row: another replica has it, it is not due, or it has ended; or another replica has erased its events
 * since it was found, and its copies are not cleared.
 */
export const claimErasure = statement<Claim, ClaimedErasure>(
  `/* ledger.claim-erasure */
UPDATE ledger.erasures
SET status = 'running', due_at = statement_timestamp() + $3::integer * interval '1 second'
WHERE account_id = $1::text AND id = $2::text AND status IN ('pending', 'running')
  AND due_at <= statement_timestamp()
  AND (done_at IS NULL
    OR (exports_cleared_at IS NOT NULL OR NOT $4::boolean) AND (webhooks_cleared_at IS NOT NULL OR NOT $5::boolean))
RETURNING selector, parts, reference, actor, up_to_sequence, done_through, done_at IS NOT NULL AS is_done
`,
  { route: "one account" },
);

type Advance = [
  accountId: string,
  id: string,
  /** The end of the batch before: another replica may have continued the request meanwhile. */
  doneThrough: string,
  nextDoneThrough: string,
  erased: string,
  held: number,
  leaseSeconds: number,
  /** The number of the record of the batch; 0 if it has none. */
  record: string,
];

/** Call it in the transaction of a batch. No row: another replica has done it. */
export const advanceErasure = statement<Advance, { readonly id: string }>(
  `/* ledger.advance-erasure */
UPDATE ledger.erasures
SET done_through = $4::bigint, erased = erased + $5::bigint, held = held + $6::bigint,
  due_at = statement_timestamp() + $7::integer * interval '1 second',
  last_record = greatest(last_record, $8::bigint), last_xid = pg_current_xact_id()::text::bigint
WHERE account_id = $1::text AND id = $2::text AND status = 'running' AND done_through = $3::bigint
RETURNING id
`,
  { route: "one account" },
);

/** Ends the lease, so that the request is continued in the next pass. */
export const releaseErasure = statement<
  [accountId: string, id: string, doneThrough: string],
  never
>(
  `/* ledger.release-erasure */
UPDATE ledger.erasures SET due_at = statement_timestamp()
WHERE account_id = $1::text AND id = $2::text AND status = 'running' AND done_through = $3::bigint
`,
  { route: "one account" },
);

/** Ends the lease of a request whose events are all erased. Again, it changes nothing. */
export const finishErasure = statement<[accountId: string, id: string], { readonly id: string }>(
  `/* ledger.finish-erasure */
UPDATE ledger.erasures SET done_at = statement_timestamp(), due_at = statement_timestamp(),
  last_xid = pg_current_xact_id()::text::bigint
WHERE account_id = $1::text AND id = $2::text AND status = 'running' AND done_through = up_to_sequence
  AND done_at IS NULL
RETURNING id
`,
  { route: "one account" },
);

/** No row: it is not done, or has ended. */
export const completeErasure = statement<Ended, { readonly id: string }>(
  `/* ledger.complete-erasure */
UPDATE ledger.erasures
SET status = 'completed', selector = NULL, selector_sha256 = $3::bytea, ended_at = $4::text
WHERE account_id = $1::text AND id = $2::text AND status = 'running' AND done_at IS NOT NULL
RETURNING id
`,
  { route: "one account" },
);
