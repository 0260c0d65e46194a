// The outbox of a service: a gapless row of entries an account, added in the transaction of what they report
// and read by the webhook dispatcher over RPC (docs/adr/0014-one-outbox.md). A service that produces entries
// declares its outbox once, by the name of its schema, which has the tables `outbox` and `outbox_heads`. The
// outbox must never give a position twice, show a position before the one below it, or delete an unread entry
// within its month.

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
import { complete, internal, invalid } from "@annals/errors";
import {
  addToOutbox,
  findExpiredOutbox,
  getOutboxPositions,
  listOutbox,
  moveOutboxHead,
  type OutboxAccount,
  PRUNE_ACCOUNTS,
  PRUNE_ENTRIES,
  pruneOutbox,
} from "./outbox-statements.ts";
import { readAccounts } from "./distribution.ts";
import type { Database } from "./statement.ts";

export interface NewOutboxEntry {
  readonly accountId: string;
  readonly eventName: string;
  /** JSON text. */
  readonly data: string;
  /** UTC with six fraction digits. */
  readonly createdAt: string;
}

export interface ListOutboxRequest {
  readonly accountId: string;
  /** Position of the reader's own cursor: the reader no longer needs entries up to here. */
  readonly afterPosition: bigint;
  readonly limit: number;
}

/** The fields of annals.notices.v1.OutboxEntry. */
export type OutboxEntry = Omit<NewOutboxEntry, "accountId"> & { readonly position: bigint };

export interface Outbox {
  /**
   * Adds an entry and resolves to its position. Call it at the end of a transaction: adds to one account wait
   * for each other's commit.
   */
  add(transaction: Database, entry: NewOutboxEntry): Promise<bigint>;
  /**
   * The entries after a position, in order. Deletes what the reader has passed and no backup may need, unless
   * the clock is wrong: then a later call does.
   */
  list(
    database: Database,
    request: ListOutboxRequest,
    clock: Pick<Clock, "fault">,
  ): Promise<OutboxEntry[]>;
  /**
   * The last position of each account, in the order of the parameter; 0 if it has no entry, or if its server
   * is away while others answer.
   */
  positions(database: Database, accountIds: readonly string[]): Promise<bigint[]>;
  /**
   * Deletes the entries of all accounts that have waited long enough for a reader; resolves to their number.
   * The caller ends the run.
   */
  prune(database: Database, run: AccountRun): Promise<number>;
}

/** What one call may ask for. */
const MAX_LIMIT = 1_000;
const MAX_ACCOUNTS = 1_000;

/**
 * Days that an entry is kept once a reader has passed it. A reader asks before it has committed what it
 * read, and its database may be restored from a backup of the last days.
 */
const KEPT_DAYS_READ = 7;
/**
 * Days that an entry waits for a reader: an account without webhooks has none, which a producer cannot
 * know.
 */
const KEPT_DAYS_UNREAD = 30;

const PRUNE_DELAY_MS = 600_000;

export function outbox(schema: string): Outbox {
  const [move, add, list, positions, find, prune] = [
    moveOutboxHead(schema),
    addToOutbox(schema),
    listOutbox(schema),
    getOutboxPositions(schema),
    findExpiredOutbox(schema),
    pruneOutbox(schema),
  ];
  return {
    add: async (transaction, { accountId, eventName, data, createdAt }) => {
      const [moved] = await transaction.run(move, [accountId]);
      if (!moved) throw internal("the outbox gave no position");
      const { position } = moved;
      await transaction.run(add, [accountId, position, eventName, data, createdAt]);
      return BigInt(position);
    },
    list: async (database, { accountId, afterPosition, limit }, clock) => {
      complete({ account_id: accountId });
      if (limit < 1 || limit > MAX_LIMIT) {
        throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
      }
      const rows = await database.run(list, [accountId, afterPosition, limit]);
      if (afterPosition > 0n && clock.fault?.() === undefined) {
        await database.run(prune, [accountId, afterPosition, KEPT_DAYS_READ]);
      }
      return rows.map((row) => ({
        position: BigInt(row.position),
        eventName: row.event_name,
        data: row.data,
        createdAt: row.created_at,
      }));
    },
    positions: async (database, accountIds) => {
      if (accountIds.length > MAX_ACCOUNTS) {
        throw invalid({ field: "account_ids", message: `must be at most ${MAX_ACCOUNTS}` });
      }
      const { rows } = await readAccounts(database, accountIds, {
        together: () => database.run(positions, [accountIds]),
        each: (accountId) => database.run(positions, [[accountId]]),
      });
      const positionOf = new Map(rows.map((row) => [row.account_id, BigInt(row.position)]));
      return accountIds.map((accountId) => positionOf.get(accountId) ?? 0n);
    },
    prune: (database, run) => pruneAll(database, run, { find, prune }),
  };
}

interface PruneStatements {
  readonly find: ReturnType<typeof findExpiredOutbox>;
  readonly prune: ReturnType<typeof pruneOutbox>;
}

async function pruneAll(
  database: Database,
  run: AccountRun,
  { find, prune }: PruneStatements,
): Promise<number> {
  let after = "";
  let total = 0;
  const pruneAccount = async ({ account_id: accountId, position }: OutboxAccount) => {
    const pruneEntries = async (): Promise<number> => {
      const params = [accountId, BigInt(position), KEPT_DAYS_UNREAD] as const;
      const deleted = (await database.run(prune, [...params])).length;
      total += deleted;
      return deleted;
    };
    await inPieces(PRUNE_ENTRIES, pruneEntries, run.signal);
  };
  const prunePiece = async (): Promise<number> => {
    const accounts = await run.list(after, () => database.run(find, [after, KEPT_DAYS_UNREAD]));
    const expired = accounts.filter(({ has_expired: hasExpired }) => hasExpired);
    await run.each(expired, pruneAccount);
    after = accounts.at(-1)?.account_id ?? "";
    return accounts.length;
  };
  await inPieces(PRUNE_ACCOUNTS, prunePiece, run.signal);
  return total;
}

/**
 * Deletes the entries that are too old, for as long as the process runs. Any number of replicas may do it.
 */
export function startOutboxPruner(
  { prune }: Pick<Outbox, "prune">,
  deps: Pick<LoopOptions, "failures" | "log"> & {
    readonly clock: Pick<Clock, "fault">;
    readonly database: Database;
    readonly swept: Pick<Counter<"kind">, "inc">;
  },
): Loop {
  const { clock, database, failures, log, swept } = deps;
  const name = "outbox_pruner";
  const work = new AccountWork(log, name);
  const run = async (signal: AbortSignal): Promise<void> => {
    assertRight(clock);
    const accounts = work.begin(signal);
    swept.inc({ kind: "outbox" }, await prune(database, accounts));
    accounts.end();
  };
  return startLoop({ name, failures, log, delayMs: PRUNE_DELAY_MS, run });
}
