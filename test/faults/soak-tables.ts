// The tables whose rows end, for the soak test: their sizes, how their rows are aged, and which rows are past
// their time. Called by soak.test.ts, which stands for months of use in a minute.

import type { ownerOf } from "@annals/testing";
import { readdir } from "node:fs/promises";

type Owner = Pick<ReturnType<typeof ownerOf>, "query">;

/** Retention that the soak test sets for exports, revoked keys and deliveries. */
export const RETENTION_DAYS = 20;
/** ANNALS_IDEMPOTENCY_HOURS, and a day for the sweep. */
const KEPT_KEY_DAYS = 4;
/** How much older everything gets in a round. */
export const ROUND_DAYS = 11;
/** Nothing that ends is kept for longer. */
export const OLDEST_DAYS = 31;

/** Their sizes must not grow with time, only with use. */
const TABLES = [
  "exports.audit_outbox",
  "exports.audit_windows",
  "exports.jobs",
  "exports.outbox",
  "keys.api_keys",
  "keys.audit_outbox",
  "keys.audit_windows",
  "keys.idempotent_requests",
  "keys.rate_windows",
  "ledger.audit_outbox",
  "ledger.audit_windows",
  "ledger.idempotency_keys",
  "ledger.idempotent_requests",
  "ledger.outbox",
  "webhooks.audit_outbox",
  "webhooks.audit_windows",
  "webhooks.deliveries",
  "webhooks.idempotent_requests",
];
const REQUESTS = TABLES.filter((name) => name.endsWith(".idempotent_requests"));
export const FILES = "export files";

const TEXT = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;
const BACK = `interval '${ROUND_DAYS} days'`;
const olderText = (column: string): string =>
  `${column} = to_char((${column}::timestamptz - ${BACK}) AT TIME ZONE 'UTC', ${TEXT})`;
const older = (column: string): string => `${column} = ${column} - ${BACK}`;

const olderMinutes = (schema: string): string =>
  `UPDATE ${schema}.audit_windows SET minute =
     to_char(((minute || ':00Z')::timestamptz - ${BACK}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI')`;

const AGEING = [
  ...["exports", "keys", "ledger", "webhooks"].map(olderMinutes),
  `UPDATE exports.jobs SET ${olderText("created_at")}, ${older("due_at")}`,
  `UPDATE exports.outbox SET ${olderText("created_at")}`,
  `UPDATE ledger.outbox SET ${olderText("created_at")}`,
  `UPDATE keys.api_keys SET ${olderText("revoked_at")} WHERE revoked_at IS NOT NULL`,
  `UPDATE keys.rate_windows SET ${older("started_at")}`,
  `UPDATE ledger.idempotency_keys SET ${older("created_at")}`,
  `UPDATE webhooks.deliveries SET ${older("created_at")}, ${older("attempted_at")}`,
  ...REQUESTS.map((table) => `UPDATE ${table} SET ${older("created_at")}`),
];

const kept = (column: string, days: number): string =>
  `${column}::timestamptz < now() - interval '${days} days'`;
const unread = (schema: string): string =>
  `SELECT FROM ${schema}.outbox JOIN ${schema}.outbox_heads AS head USING (account_id)
   WHERE outbox.position < head.position AND ${kept("created_at", OLDEST_DAYS)}`;

const keptRequests = (schema: string): string =>
  `SELECT FROM ${schema}.idempotent_requests WHERE ${kept("created_at", KEPT_KEY_DAYS)}`;

/** Rows past their time, by what ends them; a setting of 0 turns the first two off. */
const EXPIRED = {
  exports: `SELECT FROM exports.jobs WHERE ${kept("created_at", RETENTION_DAYS)}`,
  revokedKeys: `SELECT FROM keys.api_keys WHERE is_minted AND ${kept("revoked_at", RETENTION_DAYS)}`,
  windows: `SELECT FROM keys.rate_windows WHERE ${kept("started_at", 2)}`,
  idempotencyKeys: `SELECT FROM ledger.idempotency_keys WHERE ${kept("created_at", KEPT_KEY_DAYS)}`,
  createdApiKeys: keptRequests("keys"),
  createdWebhooks: keptRequests("webhooks"),
  placedHolds: keptRequests("ledger"),
  verifications: unread("ledger"),
  completedExports: unread("exports"),
  deliveries: `SELECT FROM webhooks.deliveries WHERE due_at IS NULL AND ${kept("attempted_at", RETENTION_DAYS)}`,
};
export type Ending = keyof typeof EXPIRED;

/** As if the days of a round had passed. */
export async function age(owner: Owner): Promise<void> {
  for (const statement of AGEING) await owner.query(statement);
}

/** Whatever ends has rows past their time, unless it is swept. */
export const ENDING = Object.keys(EXPIRED);

/** What has rows past their time, except what is never ended. */
export async function overdue(owner: Owner, never: readonly Ending[]): Promise<string[]> {
  const found: string[] = [];
  for (const [name, statement] of Object.entries(EXPIRED)) {
    if (never.some((each) => each === name)) continue;
    if ((await owner.query(`${statement} LIMIT 1`)).length > 0) found.push(name);
  }
  return found;
}

/** Whether a service has entries that the ledger lacks. */
export async function hasAuditEntries(owner: Owner): Promise<boolean> {
  for (const table of TABLES.filter((name) => name.endsWith(".audit_outbox")))
    if ((await owner.query(`SELECT FROM ${table} LIMIT 1`)).length > 0) return true;
  return false;
}

export type Sizes = ReadonlyMap<string, number>;

export async function sizes(owner: Owner, directory: string): Promise<Sizes> {
  const found = new Map<string, number>();
  for (const table of TABLES) {
    const [row] = await owner.query(`SELECT count(*)::integer AS rows FROM ${table}`);
    found.set(table, Number(row?.["rows"]));
  }
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  return found.set(FILES, files.filter((each) => each.isFile()).length);
}

/** What has grown in each of the last rounds. */
export function growing(rounds: readonly Sizes[], last: number): string[] {
  const seen = rounds.slice(-last);
  const names = [...TABLES, FILES];
  const size = (at: number, name: string): number => seen[at]?.get(name) ?? 0;
  return names.filter((name) =>
    seen.slice(1).every((_, at) => size(at + 1, name) > size(at, name)),
  );
}
