// The audit entries of a service: what was changed, by whom, added in the transaction of the change. A worker
// hands them over to the ledger, which appends them to the system account's chain
// (docs/adr/0021-the-audit-of-the-audit-log.md). Each service with a schema declares its entries once, by the
// schema's name. A change must never wait for the ledger, and an entry must never be deleted before the
// ledger has stored it.

import { type Counter, type Gauge, type Logger, type Loop, startLoop } from "@annals/chassis";
import { type Database, type Statement, statement } from "./statement.ts";

export interface AuditActor {
  readonly type: "api_key" | "operator" | "service";
  /** Of the API key, or the name of the service. Absent where nobody has proved who it is. */
  readonly id?: string | undefined;
}

/** What is recorded. It must hold no secret, no key and no part of a client's event. */
export interface AuditEntry {
  /** Whose account was changed. */
  readonly accountId: string;
  readonly action: `annals.${string}`;
  readonly actor: AuditActor;
  readonly target: { readonly type: string; readonly id: string };
  readonly diff?: { readonly before?: object; readonly after?: object };
  readonly metadata?: object;
  /** UTC with six fraction digits. */
  readonly occurredAt: string;
}

/** As annals.ledger.v1.AuditEntry has it. */
export interface StoredAuditEntry {
  readonly id: string;
  readonly accountId: string;
  /** JSON text of an event: action, occurred_at, actor, target, diff, metadata. */
  readonly event: string;
}

interface EntryRow {
  readonly account_id: string;
  readonly number: string;
  readonly id: string;
  readonly event: string;
  readonly age_s: number;
}

export interface AuditOutbox {
  /** Call it in the transaction of the change, after the statement that locks what it changes. */
  add(database: Database, entry: AuditEntry): Promise<void>;
  readonly list: Statement<[afterNumber: string, limit: number], EntryRow>;
  readonly remove: Statement<[accountIds: readonly string[], numbers: readonly string[]], never>;
}

/** Entries of one call, and calls of one run. */
const PAGE = 100;
const MAX_PAGES = 10;
/** Between two polls. */
const DELAY_MS = 1_000;

export function auditOutbox(schema: string): AuditOutbox {
  const add = statement<[accountId: string, event: string], never>(`/* ${schema}.add-audit-entry */
INSERT INTO ${schema}.audit_outbox (account_id, event) VALUES ($1::text, $2::text)
`);
  return {
    add: async (database, { accountId, occurredAt, ...event }) => {
      await database.run(add, [accountId, JSON.stringify({ ...event, occurred_at: occurredAt })]);
    },
    list: statement(`/* ${schema}.list-audit-entries */
SELECT account_id, number, id, event, extract(epoch FROM clock_timestamp() - created_at)::float8 AS age_s
FROM ${schema}.audit_outbox
WHERE number > $1::bigint
ORDER BY number
LIMIT $2::integer
`),
    remove: statement(`/* ${schema}.remove-audit-entries */
DELETE FROM ${schema}.audit_outbox AS entry
USING unnest($1::text[], $2::bigint[]) AS stored (account_id, number)
WHERE entry.account_id = stored.account_id AND entry.number = stored.number
`),
  };
}

export interface AuditHandOverDeps {
  readonly database: Database;
  /** Resolves to the ids of those that are stored, now or by an earlier call. */
  readonly send: (
    entries: readonly StoredAuditEntry[],
    signal: AbortSignal,
  ) => Promise<readonly string[]>;
  /** Gets the seconds that the oldest entry has waited. */
  readonly lag: Pick<Gauge, "set">;
}

/** Any number of replicas may do it: the ledger stores an entry once, however often it is sent. */
export function startAuditHandOver(
  outbox: AuditOutbox,
  deps: AuditHandOverDeps & { readonly log: Logger; readonly failures: Counter<"worker"> },
): Loop {
  const { failures, log } = deps;
  return startLoop({
    name: "audit",
    failures,
    log,
    delayMs: DELAY_MS,
    initialDelayMs: DELAY_MS,
    run: (signal) => handOver(outbox, deps, signal),
  });
}

/**
 * Hands over what waits, in its order, and deletes what is stored. An entry that the ledger refuses does not
 * keep the others: it is sent again with the next run, and the run fails. Resolves to 0 where more waits.
 */
export async function handOver(
  outbox: AuditOutbox,
  { database, lag, send }: AuditHandOverDeps,
  signal: AbortSignal,
): Promise<number | void> {
  let after = "0";
  let refused = 0;
  let found = PAGE;
  for (let page = 0; page < MAX_PAGES && found === PAGE && !signal.aborted; page += 1) {
    const rows = await database.run(outbox.list, [after, PAGE]);
    if (page === 0) lag.set(rows[0]?.age_s ?? 0);
    found = rows.length;
    after = rows.at(-1)?.number ?? after;
    if (found === 0) break;
    const entries = rows.map(({ account_id: accountId, event, id }) => ({ id, accountId, event }));
    const storedIds = new Set(await send(entries, signal));
    const stored = rows.filter(({ id }) => storedIds.has(id));
    const [accountIds, numbers] = [
      stored.map((row) => row.account_id),
      stored.map((row) => row.number),
    ];
    if (stored.length > 0) await database.run(outbox.remove, [accountIds, numbers]);
    refused += found - stored.length;
  }
  if (refused > 0) throw new Error(`the ledger has not stored ${refused} audit entries`);
  if (found === PAGE) return 0;
  lag.set(0);
}
