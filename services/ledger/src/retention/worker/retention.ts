// Deletes what retention ends, once a day for each account, at times of low load
// (docs/lifecycle.md#retention). First a record in the account's chain names the last event, then the
// function ledger.expire deletes what the record names, a chunk in a transaction. Any number of replicas
// may do it at the same time: a lease gives each account to one of them. It must never delete what a hold
// covers, what no served epoch covers, what is still to be archived, or the last event of a chain.

import { AccountWork, type Logger } from "@annals/chassis";
import { assertRight, type DatabaseClock, formatMicros, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { Database } from "@annals/postgres";
import type { AppendQueue } from "../../append/append-queue.ts";
import {
  archivesOf,
  effectiveRetention,
  isArchiving,
  type PlanRetention,
  settingsOf,
  S_PER_DAY,
} from "../rules/retention.ts";
import { retentionRecord } from "../../append/rules/record-events.ts";
import { countActiveHolds } from "../../store/holds.ts";
import { coveredHead } from "../../log/covered-head.ts";
import { lastEventBefore } from "../../search/last-event-before.ts";
import { beginLifecycle } from "../../store/begin-lifecycle.ts";
import { expire } from "../store/expire.ts";
import {
  beginRetention,
  claimRetention,
  findRetentionWork,
  finishRetention,
  getLifecycle,
  type LifecycleRow,
  lockLifecycle,
  type RetentionWorkRow,
  releaseRetention,
  setCut,
} from "../../store/lifecycles.ts";
import { findEndingEvent, getCreatedAt, getFirstHold } from "../../store/retention-cut.ts";
import { LoadPeak } from "../../append/load-peak.ts";

export interface RetentionDeps {
  readonly appends: Pick<AppendQueue, "record">;
  /** That of the database: it decides what is old enough. */
  readonly clock: DatabaseClock;
  readonly database: Database;
  readonly log: Logger;
  readonly nowMs: () => number;
  /** Asks keys for the plans of at most 1,000 accounts. */
  readonly plansOf: (accountIds: readonly string[]) => Promise<readonly PlanRetention[]>;
  readonly deleted: (events: number) => void;
  /** Called with the active holds of all accounts. */
  readonly held: (holds: number) => void;
  readonly lag: (seconds: number) => void;
}

/** Time from the start of the process to the first pass, which measures the load. */
export const INITIAL_DELAY_MS = 60_000;
/** Time from the end of a pass to the beginning of the next, unless events are left to delete. */
export const DELAY_MS = 600_000;
const ACCOUNTS = 1_000;
/** Seconds between two passes over one account. After twice the time the load does not matter. */
const INTERVAL_S = S_PER_DAY;
/** Seconds of a lease: longer than a turn. What failed is tried again after it. */
const LEASE_S = 900;
/** Chunks of one account before the next account has its turn. */
const TURN_CHUNKS = 8;
/** A record is written for at least this many events, or after a week. */
const MIN_EVENTS = 256;
const RECORD_AFTER_DAYS = 7;
const US_PER_S = 1e6;

interface Due {
  readonly accountId: string;
  readonly head: number;
  readonly overdueS: number | null;
}

/** The last event that may be deleted, and whether only the log keeps it from being a later one. */
interface Cut {
  readonly through: number;
  readonly waitsForLog: boolean;
}

export class Retention {
  readonly #deps: RetentionDeps;
  readonly #peak: LoadPeak;
  readonly #work: AccountWork;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    this.#peak = new LoadPeak(deps.nowMs);
    this.#work = new AccountWork(deps.log, "retention");
  }

  /** Gives each account that is due a turn, for a loop. Resolves to the delay before the next pass. */
  async run(signal: AbortSignal): Promise<number> {
    const { clock, database, held, lag } = this.#deps;
    assertRight(clock);
    const run = this.#work.begin(signal);
    const seen = { events: 0, isBehind: false, lagS: 0 };
    let listed: readonly RetentionWorkRow[] = [];
    do {
      const after = listed.at(-1)?.account_id ?? "";
      const params = [after, ACCOUNTS, INTERVAL_S] as const;
      listed = await run.list(after, () => database.run(findRetentionWork, [...params]));
      const due = listed.map(dueOf).filter(({ overdueS }) => overdueS === null || overdueS >= 0);
      seen.events += listed.reduce((sum, { head }) => sum + Number(head), 0);
      const plans = await this.#plansOf(due);
      await run.each(
        due.map((one) => ({ ...one, account_id: one.accountId })),
        async (one) => {
          const plan = plans.get(one.accountId);
          if (!plan) return;
          const { isDone, isLeft } = await this.#giveTurnIfQuiet(one, plan, signal).catch(
            (error: unknown) => {
              seen.lagS = Math.max(seen.lagS, one.overdueS ?? 0);
              throw error;
            },
          );
          if (!isDone) seen.lagS = Math.max(seen.lagS, one.overdueS ?? 0);
          if (isLeft) seen.isBehind = true;
        },
      );
      if (signal.aborted) return 0;
    } while (listed.length === ACCOUNTS);
    if (!run.hasOldList) this.#peak.sample(seen.events);
    lag(seen.lagS);
    const [holds] = await database.run(countActiveHolds, []);
    held(holds?.active ?? 0);
    run.end();
    return seen.isBehind ? 0 : DELAY_MS;
  }

  async #plansOf(due: readonly Due[]): Promise<ReadonlyMap<string, PlanRetention>> {
    const ids = due.map(({ accountId }) => accountId);
    const plans = ids.length === 0 ? [] : await this.#deps.plansOf(ids);
    return new Map(ids.flatMap((id, at) => (plans[at] ? [[id, plans[at]] as const] : [])));
  }

  async #giveTurnIfQuiet(due: Due, plan: PlanRetention, signal: AbortSignal) {
    const isLate = (due.overdueS ?? 0) >= INTERVAL_S;
    if (!this.#peak.isLoadLow && !isLate) return { isDone: false, isLeft: false };
    return this.#giveTurn(due, plan, signal);
  }

  /** Resolves to whether everything is deleted that may be, and whether more is left for another turn. */
  async #giveTurn({ accountId, head }: Due, plan: PlanRetention, signal: AbortSignal) {
    const { database } = this.#deps;
    const done = { isDone: true, isLeft: false };
    const [known] = await database.run(getLifecycle, [accountId]);
    // An account of which nothing is ever deleted has no row, and needs no lease.
    if (!known && this.#daysOf(accountId, plan, known) === undefined) return done;
    if (!known) await database.run(beginLifecycle, [accountId]);
    await database.run(beginRetention, [accountId, INTERVAL_S]);
    const [claimed] = await database.run(claimRetention, [accountId, INTERVAL_S, LEASE_S]);
    const [row] = claimed ? await database.run(getLifecycle, [accountId]) : [];
    // Another replica has it, or had it a moment ago and failed.
    if (!row) return { isDone: false, isLeft: false };
    const waitsForLog = await this.#recordNext({ accountId, head, plan, row });
    let isLeft = true;
    for (let chunks = 0; isLeft && chunks < TURN_CHUNKS && !signal.aborted; chunks += 1)
      isLeft = await this.#expireNext(accountId);
    const isDone = !isLeft && !waitsForLog;
    await database.run(isDone ? finishRetention : releaseRetention, [accountId]);
    return { isDone, isLeft };
  }

  /** Undefined: nothing is deleted. No plan applies to the operator's audit. */
  #daysOf(accountId: string, given: PlanRetention, row: LifecycleRow | undefined) {
    const plan = accountId === SYSTEM_ACCOUNT_ID ? { ...given, days: undefined } : given;
    const nowS = this.#deps.clock.nowMicros() / US_PER_S;
    return effectiveRetention(plan, settingsOf(row), nowS).days;
  }

  /** The last event that archives leave to retention. */
  #archivedThrough(plan: PlanRetention, row: LifecycleRow): number {
    const nowS = this.#deps.clock.nowMicros() / US_PER_S;
    return isArchiving(plan, archivesOf(row), nowS) ? Number(row.archived_through) : Infinity;
  }

  /** Records what is to be deleted next, if it is worth it. Resolves to whether the log is behind. */
  async #recordNext(of: {
    readonly accountId: string;
    readonly head: number;
    readonly plan: PlanRetention;
    readonly row: LifecycleRow;
  }): Promise<boolean> {
    const { accountId, head, plan, row } = of;
    const days = this.#daysOf(accountId, plan, row);
    if (days === undefined) return false;
    const { through, waitsForLog } = await this.#cutOf(accountId, { days, head, plan, row });
    if (!(await this.#isWorth(accountId, row, through))) return waitsForLog;
    await this.#deps.appends.record(accountId, async (transaction) => {
      // Under the lock of the head: neither a hold nor a longer time is set meanwhile.
      const [now] = await transaction.run(lockLifecycle, [accountId]);
      const [hold] = await transaction.run(getFirstHold, [accountId]);
      if (!now || this.#daysOf(accountId, plan, now) !== days) return undefined;
      if (now.through_sequence !== row.through_sequence) return undefined;
      if (hold && Number(hold.from_sequence) <= through) return undefined;
      if (this.#archivedThrough(plan, now) < through) return undefined;
      return {
        record: retentionRecord(through),
        act: async (record) => {
          const cut = [accountId, String(record), String(through)] as const;
          const [moved] = await transaction.run(setCut, [...cut]);
          if (!moved) throw new Error(`a later record of ${accountId} names more events`);
        },
      };
    });
    return waitsForLog;
  }

  async #cutOf(
    accountId: string,
    of: {
      readonly days: number;
      readonly head: number;
      readonly plan: PlanRetention;
      readonly row: LifecycleRow;
    },
  ): Promise<Cut> {
    const { clock, database } = this.#deps;
    const [hold] = await database.run(getFirstHold, [accountId]);
    const free = hold ? Number(hold.from_sequence) - 1 : Infinity;
    // What waits for its archive is not late: the month may not be over.
    const most = Math.min(of.head - 1, free, this.#archivedThrough(of.plan, of.row));
    const oldest = formatMicros(clock.nowMicros() - of.days * S_PER_DAY * US_PER_S);
    const range = { after: Number(of.row.deleted_through), most };
    const old = await lastEventBefore(database, { accountId, time: oldest }, range);
    const covered = (await coveredHead(database, accountId))?.size ?? 0;
    return { through: Math.min(old, covered), waitsForLog: old - covered >= MIN_EVENTS };
  }

  /** Whether enough events would go, or a few for long. An account that only has old records gets none. */
  async #isWorth(accountId: string, row: LifecycleRow, through: number): Promise<boolean> {
    const { clock, database } = this.#deps;
    const before = Number(row.through_sequence);
    if (through <= before) return false;
    if (through - before >= MIN_EVENTS) return true;
    const [record] = await database.run(getCreatedAt, [accountId, row.record_sequence]);
    const week = RECORD_AFTER_DAYS * S_PER_DAY * US_PER_S;
    if (record && record.created_at > formatMicros(clock.nowMicros() - week)) return false;
    const range = [accountId, row.through_sequence, String(through)] as const;
    return (await database.run(findEndingEvent, [...range])).length > 0;
  }

  /** Deletes a chunk of what is recorded. Resolves to whether more may be left. */
  async #expireNext(accountId: string): Promise<boolean> {
    const { clock, database, deleted } = this.#deps;
    assertRight(clock);
    const [row] = await database.run(getLifecycle, [accountId]);
    if (!row || Number(row.deleted_through) >= Number(row.through_sequence)) return false;
    // A hold that was placed since the record stops it until its release.
    const [hold] = await database.run(getFirstHold, [accountId]);
    if (hold && Number(hold.from_sequence) <= Number(row.through_sequence)) return false;
    const [expired] = await database.run(expire, [accountId]);
    const events = Number(expired?.deleted ?? 0);
    deleted(events);
    return Number(row.deleted_through) + events < Number(row.through_sequence);
  }
}

function dueOf({ account_id: accountId, head, overdue_s: overdueS }: RetentionWorkRow): Due {
  return { accountId, head: Number(head), overdueS };
}
