// The audit entries of a service: what was changed, by whom, added in the transaction of the change. A
// worker hands them over to the ledger (audit-hand-over.ts), which appends them to the system account's
// chain (docs/adr/0021-the-audit-of-the-audit-log.md, docs/adr/0037-what-may-be-in-the-audit.md). Each
// service with a schema declares its entries once, by the schema's name. An entry must never be longer than
// its bound, and a change never without an entry or a count.

import {
  AUDIT_COUNTED_ACTION,
  type AuditAction,
  type AuditActorType,
  type AuditService,
} from "@annals/contract";
import { jsonSha256, type JsonValue } from "@annals/event";
import { type AuditWindows, auditWindows } from "./audit-windows.ts";
import { type Database, type Statement, statement } from "./statement.ts";

export interface AuditActor {
  readonly type: AuditActorType;
  /** Id of the API key, or the name of the service. Absent if no caller has proved who it is. */
  readonly id?: string | undefined;
}

/**
 * What is recorded. It must hold no secret, no key, no part of a client's event and no name: of what a client
 * chose, a digest.
 */
export interface AuditEntry<Action extends string = string> {
  /** Whose account was changed. */
  readonly accountId: string;
  readonly action: Action;
  readonly actor: AuditActor;
  readonly target: { readonly type: string; readonly id: string };
  readonly diff?: { readonly before?: object; readonly after?: object };
  readonly metadata?: object;
  /** UTC with six fraction digits. */
  readonly occurredAt: string;
}

/** What a service may record, by the table that the ledger holds it to. */
export type AuditEntryOf<Service extends AuditService> = AuditEntry<
  Exclude<AuditAction<Service>, typeof AUDIT_COUNTED_ACTION>
>;

/** The fields of annals.ledger.v1.AuditEntry. */
export interface StoredAuditEntry {
  readonly id: string;
  readonly accountId: string;
  /** JSON text of an event: action, occurred_at, actor, target, diff, metadata. */
  readonly event: string;
}

export interface EntryRow {
  readonly account_id: string;
  readonly number: string;
  readonly id: string;
  readonly event: string;
  readonly age_s: number;
}

export interface AuditOutbox<Service extends AuditService = AuditService> {
  readonly service: Service;
  /**
   * Call it in the transaction of the change, after the statement that locks what it changes, and with
   * accounts in their order if there are several.
   */
  readonly add: (transaction: Database, entry: AuditEntryOf<Service>) => Promise<void>;
  /** Records what was counted of an account in a minute, which is not counted itself. */
  readonly addCounted: (
    transaction: Database,
    of: Pick<AuditEntry, "accountId" | "metadata" | "occurredAt">,
  ) => Promise<void>;
  readonly list: Statement<[afterNumber: string, limit: number], EntryRow>;
  readonly listOf: Statement<[accountId: string, afterNumber: string, limit: number], EntryRow>;
  /** The accounts of which this process has added entries last: at most {@link MAX_RECENT_ACCOUNTS}. */
  readonly recentAccounts: ReadonlySet<string>;
  readonly remove: Statement<[accountIds: readonly string[], numbers: readonly string[]], never>;
  readonly windows: AuditWindows;
  /** Called when this process has committed an entry. */
  readonly listeners: Set<() => void>;
}

/**
 * Bytes of an entry as it is handed over. With its context, and with another time if it is late, it stays
 * below what the ledger stores.
 */
export const MAX_ENTRY_BYTES = 768;

/** Accounts whose entries are still handed over while those of all accounts cannot be listed. */
const MAX_RECENT_ACCOUNTS = 1_000;

/** The gateway has no database: it hands over what it counted itself. */
type AuditedSchema = Exclude<AuditService, "gateway">;

const SCHEMAS: Readonly<Record<AuditedSchema, string>> = {
  keys: "keys",
  export: "exports",
  ledger: "ledger",
  "webhook-dispatcher": "webhooks",
};

export function auditOutbox<const Service extends AuditedSchema>(
  service: Service,
): AuditOutbox<Service> {
  const schema = SCHEMAS[service];
  const insert = statement<[accountId: string, event: string], never>(
    `/* ${schema}.add-audit-entry */
INSERT INTO ${schema}.audit_outbox (account_id, event) VALUES ($1::text, $2::text)
`,
    { route: "one account" },
  );
  const windows = auditWindows(schema);
  const recentAccounts = new Set<string>();
  const listeners = new Set<() => void>();
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  const store = async (transaction: Database, entry: AuditEntry): Promise<void> => {
    recentAccounts.delete(entry.accountId);
    recentAccounts.add(entry.accountId);
    const [oldest] = recentAccounts.size > MAX_RECENT_ACCOUNTS ? recentAccounts : [];
    if (oldest !== undefined) recentAccounts.delete(oldest);
    await transaction.run(insert, [entry.accountId, textOf(entry)]);
    transaction.afterCommit?.(announce);
  };
  return {
    service,
    add: async (transaction, entry) => {
      const { accountId, action, actor, occurredAt } = entry;
      // The operator alone causes what the operator does.
      const isEntry =
        actor.type === "operator" ||
        (await windows.count(transaction, accountId, action, occurredAt));
      if (isEntry) await store(transaction, entry);
    },
    addCounted: (transaction, of) =>
      store(transaction, {
        ...of,
        action: AUDIT_COUNTED_ACTION,
        actor: { type: "service", id: service },
        target: { type: "account", id: of.accountId },
      }),
    listeners,
    recentAccounts,
    windows,
    ...statementsOf(schema),
  };
}

function statementsOf(schema: string): Pick<AuditOutbox, "list" | "listOf" | "remove"> {
  return {
    list: statement(
      `/* ${schema}.list-audit-entries */
SELECT account_id, number, id, event, extract(epoch FROM statement_timestamp() - created_at)::float8 AS age_s
FROM ${schema}.audit_outbox
WHERE number > $1::bigint
ORDER BY number
LIMIT $2::integer
`,
      { route: "all accounts, read" },
    ),
    listOf: statement(
      `/* ${schema}.list-audit-entries-of-account */
SELECT account_id, number, id, event, extract(epoch FROM statement_timestamp() - created_at)::float8 AS age_s
FROM ${schema}.audit_outbox
WHERE account_id = $1::text AND number > $2::bigint
ORDER BY number
LIMIT $3::integer
`,
      { route: "one account" },
    ),
    remove: statement(
      `/* ${schema}.remove-audit-entries */
DELETE FROM ${schema}.audit_outbox AS entry
USING unnest($1::text[], $2::bigint[]) AS stored (account_id, number)
WHERE entry.account_id = ANY ($1::text[])
  AND entry.account_id = stored.account_id AND entry.number = stored.number
`,
      { route: "some accounts" },
    ),
  };
}

/** Replaces what is too long by a digest of what was changed. */
function textOf({ action, actor, diff, metadata, occurredAt, target }: AuditEntry): string {
  const kept = { action, actor, target, occurred_at: occurredAt };
  const text = JSON.stringify({ ...kept, diff, metadata });
  if (Buffer.byteLength(text) <= MAX_ENTRY_BYTES) return text;
  const leftOut = JSON.parse(JSON.stringify({ diff, metadata })) as JsonValue;
  return JSON.stringify({ ...kept, metadata: { left_out_sha256: jsonSha256(leftOut) } });
}
