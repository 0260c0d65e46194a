// Hands the audit entries of a service over to the ledger, and records what was counted in minutes that are
// over. Started by each service with a schema. An entry must never be deleted before the ledger has stored
// it, and none of them keeps the others.

import {
  type AccountRun,
  AccountWork,
  type Counter,
  type Gauge,
  type Logger,
  type Loop,
  startLoop,
} from "@annals/chassis";
import type { Clock } from "@annals/contract";
import { setTimeout as pause } from "node:timers/promises";
import type { AuditOutbox, EntryRow, StoredAuditEntry } from "./audit-outbox.ts";
import { minuteOf } from "./audit-windows.ts";
import { type AccountRows, isDistributed, readAccounts } from "./distribution.ts";
import type { Pool } from "./pool.ts";
import type { Database } from "./statement.ts";

export interface AuditHandOverDeps {
  readonly clock: Clock;
  readonly database: Pool;
  /** Resolves to the ids of those that are stored, now or by an earlier call. */
  readonly send: (
    entries: readonly StoredAuditEntry[],
    signal: AbortSignal,
  ) => Promise<readonly string[]>;
  /** Gets the seconds that the oldest entry has waited. */
  readonly lag: Pick<Gauge, "set">;
}

type HandedOver = Omit<AuditOutbox, "add">;
type Entries = Pick<HandedOver, "list" | "listOf" | "recentAccounts" | "remove">;

/** Entries of one call, and calls of one run. */
const PAGE = 100;
const MAX_PAGES = 10;
/** Between two sweeps, which find what other replicas and commands have added. */
const SWEEP_MS = 15_000;
/** What is added within this time is handed over together. */
const GATHER_MS = 50;
/** A transaction that began in a minute may commit its count that much later, and clocks differ. */
const COUNTING_US = 60_000_000;
/**
 * The ledger refuses a time of more than a day ago. An entry that has waited almost that long is handed over
 * with the time of now, and says when its change was.
 */
const LATE_S = 23 * 3_600;

/** Any number of replicas may do it: the ledger stores an entry once, however often it is sent. */
export function startAuditHandOver(
  outbox: HandedOver,
  deps: AuditHandOverDeps & {
    readonly log: Logger;
    readonly failures: Pick<Counter<"worker">, "inc">;
  },
): Loop {
  const { failures, log } = deps;
  const name = "audit";
  const work = new AccountWork(log, name);
  const loop = startLoop({
    name,
    failures,
    log,
    delayMs: SWEEP_MS,
    run: async (signal) => {
      await pause(GATHER_MS, undefined, { signal });
      // Neither keeps the other.
      const [handed, counted] = await Promise.allSettled([
        handOver(outbox, deps, signal),
        recordCounted(outbox, deps, work.begin(signal)),
      ]);
      if (handed.status === "rejected") throw handed.reason;
      if (counted.status === "rejected") throw counted.reason;
      return handed.value;
    },
  });
  const wake = (): void => loop.wake();
  outbox.listeners.add(wake);
  return {
    wake,
    stop: () => {
      outbox.listeners.delete(wake);
      return loop.stop();
    },
  };
}

/** Adds an entry for each account and minute in which changes were counted. */
export async function recordCounted(
  { addCounted, windows }: Pick<HandedOver, "addCounted" | "windows">,
  { clock, database }: Pick<AuditHandOverDeps, "clock" | "database">,
  run: AccountRun,
): Promise<void> {
  const [micros, occurredAt] = [clock.nowMicros(), clock.nowText()];
  const before = minuteOf(new Date((micros - COUNTING_US) / 1_000).toISOString());
  const found = await run.list("", () => database.run(windows.list, [before, PAGE * MAX_PAGES]));
  await run.each(found, (window) =>
    database.transaction(async (transaction) => {
      const counts = await windows.take(transaction, window);
      if (Object.keys(counts).length === 0) return;
      const { account_id: accountId, minute } = window;
      const metadata = { minute: `${minute}Z`, further: counts };
      await addCounted(transaction, { accountId, metadata, occurredAt });
    }),
  );
  run.end();
}

/**
 * Hands over what waits, in its order, and deletes what is stored. An entry that the ledger refuses does not
 * keep the others: it is sent again with the next run, and the run fails. Resolves to 0 if more waits.
 */
export async function handOver(
  outbox: Entries,
  { clock, database, lag, send }: AuditHandOverDeps,
  signal: AbortSignal,
): Promise<number | void> {
  let after = "0";
  let refused = 0;
  let found = PAGE;
  const errors: unknown[] = [];
  for (let page = 0; page < MAX_PAGES && found === PAGE && !signal.aborted; page += 1) {
    const { error, rows } = await listPage(outbox, database, after);
    if (error !== undefined) errors.push(error);
    else if (page === 0) lag.set(rows[0]?.age_s ?? 0);
    found = rows.length;
    after = rows.at(-1)?.number ?? after;
    if (found === 0) break;
    const entries = rows.map((row) => entryOf(row, clock));
    const storedIds = new Set(await send(entries, signal));
    const stored = rows.filter(({ id }) => storedIds.has(id));
    errors.push(...(await removeStored(outbox, database, stored)));
    refused += found - stored.length;
  }
  if (errors.length > 0) throw errors[0];
  if (refused > 0) throw new Error(`the ledger has not stored ${refused} audit entries`);
  if (found === PAGE) return 0;
  lag.set(0);
}

/**
 * The next entries of all accounts. If tables are distributed and a server is away, those of the accounts for
 * which this process has added entries.
 */
async function listPage(
  { list, listOf, recentAccounts }: Entries,
  database: Database,
  after: string,
): Promise<AccountRows<EntryRow>> {
  const { rows, ...result } = await readAccounts(database, [...recentAccounts], {
    together: () => database.run(list, [after, PAGE]),
    each: (accountId) => database.run(listOf, [accountId, after, PAGE]),
  });
  if (result.error === undefined) return { rows, ...result };
  const inOrder = rows.toSorted((one, other) => Number(BigInt(one.number) - BigInt(other.number)));
  return { ...result, rows: inOrder.slice(0, PAGE) };
}

/** Resolves to what failed: with one statement for all, or with one per account if tables are distributed. */
async function removeStored(
  { remove }: Entries,
  database: Database,
  stored: readonly EntryRow[],
): Promise<unknown[]> {
  const isApart = stored.length > 0 && (await isDistributed(database));
  const groups = Map.groupBy(stored, (row) => (isApart ? row.account_id : ""));
  const results = await Promise.allSettled(
    Array.from(groups.values(), (rows) =>
      database.run(remove, [rows.map((row) => row.account_id), rows.map((row) => row.number)]),
    ),
  );
  return results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

function entryOf({ account_id: accountId, age_s: ageS, event, id }: EntryRow, clock: Clock) {
  if (ageS < LATE_S) return { id, accountId, event };
  const { metadata, occurred_at: reportedAt, ...rest } = JSON.parse(event);
  const late = {
    ...rest,
    metadata: { ...metadata, reported_at: reportedAt },
    occurred_at: clock.nowText(),
  };
  return { id, accountId, event: JSON.stringify(late) };
}
