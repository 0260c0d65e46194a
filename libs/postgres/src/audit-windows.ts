// How much of an account's changes is recorded one by one: of each action a number per minute, and what is
// beyond them is counted, in the transaction of the change all the same. Called by audit-outbox.ts, which
// records what was counted once the minute is over. So the system account's chain grows by a bound,
// whatever clients do. A count must never be deleted before the entry that names it is in the outbox.

import { type Database, type Statement, statement } from "./statement.ts";

/** Entries of an account, an action and a minute, in each service. */
export const MAX_ENTRIES_PER_MINUTE = 20;

/** Stores the first ones of each account and action in a minute, which is that of `occurredAt`. */
interface CountedRow {
  readonly action: string;
  readonly changes: string;
}

interface WindowRow {
  readonly account_id: string;
  readonly minute: string;
}

export interface AuditWindows {
  /** Resolves to whether the change is to be an entry of its own. */
  count(
    database: Database,
    accountId: string,
    action: string,
    occurredAt: string,
  ): Promise<boolean>;
  readonly list: Statement<[before: string, limit: number], WindowRow>;
  /** Deletes a minute of an account; resolves to what was counted beyond the entries, by action. */
  take(database: Database, window: WindowRow): Promise<Record<string, number>>;
}

export function auditWindows(schema: string): AuditWindows {
  const count = statement<
    [accountId: string, minute: string, action: string],
    { readonly changes: string }
  >(
    `/* ${schema}.count-audit-entry */
INSERT INTO ${schema}.audit_windows (account_id, minute, action, changes)
VALUES ($1::text, $2::text, $3::text, 1)
ON CONFLICT (account_id, minute, action) DO UPDATE SET changes = audit_windows.changes + 1
RETURNING changes
`,
    { route: "one account" },
  );
  const take = statement<[accountId: string, minute: string], CountedRow>(
    `/* ${schema}.take-audit-window */
DELETE FROM ${schema}.audit_windows WHERE account_id = $1::text AND minute = $2::text
RETURNING action, changes
`,
    { route: "one account" },
  );
  return {
    count: async (database, accountId, action, occurredAt) => {
      const [row] = await database.run(count, [accountId, minuteOf(occurredAt), action]);
      return Number(row?.changes ?? 0) <= MAX_ENTRIES_PER_MINUTE;
    },
    list: statement(
      `/* ${schema}.list-audit-windows */
SELECT account_id, minute FROM ${schema}.audit_windows
WHERE minute < $1::text
GROUP BY account_id, minute
ORDER BY minute, account_id
LIMIT $2::integer
`,
      { route: "all accounts, read" },
    ),
    take: async (database, { account_id: accountId, minute }) => {
      const rows = await database.run(take, [accountId, minute]);
      const beyond = rows.flatMap(({ action, changes }): [string, number][] => {
        const more = Number(changes) - MAX_ENTRIES_PER_MINUTE;
        return more > 0 ? [[action, more]] : [];
      });
      return Object.fromEntries(beyond.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

/** `time`: UTC with six fraction digits. */
export function minuteOf(time: string): string {
  return time.slice(0, "2026-01-31T09:30".length);
}
