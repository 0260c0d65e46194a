// What a request with an idempotency key has made, so that a retry gets it again and makes nothing. A service
// has one table for all its POSTs, and keeps a key in the transaction of the request: what is rolled back
// leaves its key free. Called by the handlers of RPCs that create something.

import {
  type AccountRun,
  AccountWork,
  type Counter,
  inPieces,
  type Loop,
  type LoopOptions,
  startLoop,
} from "@annals/chassis";
import { assertRight, type Clock } from "@annals/contract";
import { AnnalsError, invalid } from "@annals/errors";
import { type Database, type Statement, statement } from "./statement.ts";

/** Keys of an account that one operation keeps at a time. */
const MAX_KEPT_KEYS = 1_000;
const SHA256_BYTES = 32;
/** Rows of one statement of the sweep. */
export const SWEPT_KEYS = 1_000;
const INTERVAL_MS = 60_000;

type FindParams = [accountId: string, operation: string, idempotencyKey: string, hours: number];
type KeepParams = [
  accountId: string,
  operation: string,
  idempotencyKey: string,
  requestSha256: Uint8Array,
  response: Uint8Array,
];

interface KeptRow {
  readonly request_sha256: Buffer;
  readonly response: Buffer;
}

export interface IdempotentRequests {
  /** No row: the key is free. */
  readonly find: Statement<FindParams, KeptRow>;
  readonly count: Statement<
    [accountId: string, operation: string, hours: number],
    { readonly kept: number }
  >;
  /** A key that is still stored after its hours is overwritten. */
  readonly keep: Statement<KeepParams, never>;
  readonly listExpired: Statement<[limit: number, hours: number], { readonly account_id: string }>;
  readonly deleteExpired: Statement<
    [accountId: string, limit: number, hours: number],
    { readonly account_id: string }
  >;
}

const isKept = (hours: string) =>
  `created_at > statement_timestamp() - ${hours}::integer * interval '1 hour'`;
const isExpired = (hours: string) =>
  `created_at <= statement_timestamp() - ${hours}::integer * interval '1 hour'`;

/** Call it once for each schema that has the table `idempotent_requests`. */
export function idempotentRequests(schema: "keys" | "ledger" | "webhooks"): IdempotentRequests {
  const table = `${schema}.idempotent_requests`;
  return {
    find: statement(
      `/* ${schema}.find-idempotent-request */
SELECT request_sha256, response FROM ${table}
WHERE account_id = $1::text AND operation = $2::text AND idempotency_key = $3::text AND ${isKept("$4")}
`,
      { route: "one account" },
    ),
    count: statement(
      `/* ${schema}.count-idempotent-requests */
SELECT count(*)::integer AS kept FROM ${table}
WHERE account_id = $1::text AND operation = $2::text AND ${isKept("$3")}
`,
      { route: "one account" },
    ),
    keep: statement(
      `/* ${schema}.keep-idempotent-request */
INSERT INTO ${table} (account_id, operation, idempotency_key, request_sha256, response, created_at)
VALUES ($1::text, $2::text, $3::text, $4::bytea, $5::bytea, statement_timestamp())
ON CONFLICT (account_id, operation, idempotency_key) DO UPDATE SET
  request_sha256 = excluded.request_sha256, response = excluded.response, created_at = excluded.created_at
`,
      { route: "one account" },
    ),
    listExpired: statement(
      `/* ${schema}.list-expired-idempotent-requests */
SELECT DISTINCT account_id
FROM (
  SELECT account_id FROM ${table} WHERE ${isExpired("$2")} ORDER BY created_at LIMIT $1::integer
) AS oldest
`,
      { route: "all accounts, read" },
    ),
    deleteExpired: statement(
      `/* ${schema}.delete-expired-idempotent-requests */
DELETE FROM ${table}
WHERE account_id = $1::text AND ${isExpired("$3")} AND (operation, idempotency_key) IN (
  SELECT operation, idempotency_key FROM ${table}
  WHERE account_id = $1::text AND ${isExpired("$3")}
  ORDER BY created_at
  LIMIT $2::integer
)
RETURNING account_id
`,
      { route: "one account" },
    ),
  };
}

/** The members of an RPC's request that say which request it is. The key is empty if there is none. */
export interface AskedOnce {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
}

/** How a service keeps the keys of one operation. */
export interface KeptRequests {
  readonly requests: IdempotentRequests;
  readonly operation: string;
  readonly idempotencyHours: number;
  /**
   * Given if a body has secrets: what is kept in place of its digest, so that nobody who reads the database
   * can check a guess. The first is kept, and each of them is that of the same body.
   */
  readonly conceal?: (requestSha256: Uint8Array) => readonly Uint8Array[];
}

/**
 * What the first request with the key has made; undefined if this is the first, or has no key. Call it, and
 * {@link keepResponse}, in a transaction that holds a lock of the account: then none of several requests at a
 * time misses the key of another. Throws `invalid` for the key of another request, and `plan_count_exceeded`.
 */
export async function earlierResponse(
  transaction: Database,
  { conceal, idempotencyHours: hours, operation, requests }: KeptRequests,
  { accountId, idempotencyKey, requestSha256 }: AskedOnce,
): Promise<Uint8Array | undefined> {
  if (idempotencyKey === "") return undefined;
  if (requestSha256.length !== SHA256_BYTES)
    throw invalid({ field: "request_sha256", message: `must be ${SHA256_BYTES} bytes` });
  const params = [accountId, operation, idempotencyKey, hours] as const;
  const [row] = await transaction.run(requests.find, [...params]);
  if (row) {
    const digests = conceal?.(requestSha256) ?? [requestSha256];
    if (digests.some((digest) => row.request_sha256.equals(digest))) return row.response;
    const message = "was used for another request; send a new key with a new request";
    throw invalid({ field: "Idempotency-Key", message });
  }
  const [count] = await transaction.run(requests.count, [accountId, operation, hours]);
  if ((count?.kept ?? 0) < MAX_KEPT_KEYS) return undefined;
  throw new AnnalsError(
    "plan_count_exceeded",
    `The account has sent ${MAX_KEPT_KEYS} such requests with an Idempotency-Key in the last ${hours} hours. ` +
      "Send it without one.",
  );
}

/** Keeps what a request has made, without its secrets. */
export async function keepResponse(
  transaction: Database,
  { conceal, operation, requests }: KeptRequests,
  { accountId, idempotencyKey, requestSha256 }: AskedOnce,
  response: Uint8Array,
): Promise<void> {
  if (idempotencyKey === "") return;
  const digest = conceal?.(requestSha256)[0] ?? requestSha256;
  const params = [accountId, operation, idempotencyKey, digest, response] as const;
  await transaction.run(requests.keep, [...params]);
}

interface SweepDeps {
  readonly clock: Pick<Clock, "fault">;
  readonly database: Database;
  readonly idempotencyHours: number;
  readonly swept: Pick<Counter<"kind">, "inc">;
}

/** Deletes keys after their hours. Any number of replicas may do it at once. */
export function startRequestSweep(
  requests: IdempotentRequests,
  { failures, log, ...deps }: SweepDeps & Pick<LoopOptions, "failures" | "log">,
): Loop {
  const name = "request_sweep";
  const work = new AccountWork(log, name);
  return startLoop({
    name,
    failures,
    log,
    delayMs: INTERVAL_MS,
    run: (signal) => sweepRequests(requests, deps, work.begin(signal)),
  });
}

/** Deletes all keys that are due now. */
export async function sweepRequests(
  requests: IdempotentRequests,
  { clock, database, idempotencyHours, swept }: SweepDeps,
  run: AccountRun,
): Promise<void> {
  assertRight(clock);
  const sweepPiece = async (): Promise<number> => {
    let deleted = 0;
    const accounts = await run.list("", () =>
      database.run(requests.listExpired, [SWEPT_KEYS, idempotencyHours]),
    );
    await run.each(accounts, async ({ account_id: accountId }) => {
      const params = [accountId, SWEPT_KEYS, idempotencyHours] as const;
      deleted += (await database.run(requests.deleteExpired, [...params])).length;
    });
    if (deleted > 0) swept.inc({ kind: "idempotency_keys" }, deleted);
    return deleted;
  };
  await inPieces(SWEPT_KEYS, sweepPiece, run.signal);
  run.end();
}
