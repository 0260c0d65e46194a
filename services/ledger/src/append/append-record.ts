// Appends a record: an event of the service about the account's own events, in one transaction with what it
// decides (docs/adr/0054-records-in-the-accounts-chain.md). So what is recorded and what is done are one
// fact, in one order with appends and other records. Called by append-queue.ts. Groups of appends do not
// wait for it: the head's lock puts both in order. It must never commit a record without its decision, or
// the other way round.

import { atOnce } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { momentOf } from "./rules/chain-time.ts";
import { type Head, planFlush } from "./rules/plan-flush.ts";
import { type NewEvent, prepareAppend } from "./rules/prepare-append.ts";
import { beginLifecycle } from "../store/begin-lifecycle.ts";
import { lockHeadForRecord } from "../store/lock-head.ts";
import { appendsOf } from "./commits.ts";
import { announce, type FlushDeps } from "./flush.ts";
import { brokenChain, lockedHead, storeUnderLock } from "./locked-chain.ts";
import { wrongClock } from "./wrong-clock.ts";

/** What an account's chain is about to say of its events. */
export interface Decision<Result> {
  /** Its `occurredAt` is ignored: a record occurs when it is stored. */
  readonly record: Omit<NewEvent, "occurredAt">;
  /** Runs after the record, whose sequence number it gets, in the same transaction. */
  readonly act: (record: number) => Promise<Result>;
}

/** Runs under the head's lock; `last` is the last event. Undefined: there is nothing to record. */
export type Decide<Result> = (
  transaction: Database,
  last: number,
) => Promise<Decision<Result> | undefined>;

type RecordDeps = Pick<
  FlushDeps,
  | "clock"
  | "database"
  | "grown"
  | "heads"
  | "idempotencyHours"
  | "log"
  | "metrics"
  | "notices"
  | "random"
>;

/** Resolves once both are committed; to undefined if there was nothing to record. */
export async function appendRecord<Result>(
  deps: RecordDeps,
  accountId: string,
  decide: Decide<Result>,
): Promise<Result | undefined> {
  const wrong = wrongClock(deps.clock);
  if (wrong) throw wrong;
  const database = deps.database.forAccount(appendsOf(accountId));
  try {
    const done = await database.transaction(async (transaction) => {
      const head = await lockedHead(transaction, accountId, lockHeadForRecord);
      const decision = await decide(transaction, head.sequence);
      if (!decision) return undefined;
      const plan = planRecord(deps, { accountId, head, record: decision.record });
      // Older events of clients that have such actions are not records.
      await transaction.run(beginLifecycle, [accountId]);
      await storeUnderLock(transaction, { accountId, plan }, deps.idempotencyHours);
      return { plan, result: await decision.act(plan.after.sequence) };
    });
    if (!done) return undefined;
    const { plan, result } = done;
    const cached = deps.heads.get(accountId);
    // This process goes on with the new head if it was the last one to append before the record.
    if (cached?.head.hash === plan.before.hash)
      deps.heads.set(accountId, { ...cached, head: plan.after });
    announce(deps, accountId, plan);
    return result;
  } catch (error) {
    deps.heads.forget(accountId);
    throw brokenChain(deps, accountId, error) ?? error;
  }
}

/** A record takes nothing of the month's quota, and no key stored it. */
function planRecord(
  { clock, random }: RecordDeps,
  of: {
    readonly accountId: string;
    readonly head: Head;
    readonly record: Omit<NewEvent, "occurredAt">;
  },
) {
  const { accountId, head, record } = of;
  const moment = momentOf(clock);
  const { now } = moment;
  const append = {
    accountId,
    receivedAt: now,
    idempotencyKey: "",
    requestSha256: new Uint8Array(),
    isUncounted: true,
    events: [{ ...record, occurredAt: now }],
  };
  const appends = [atOnce(prepareAppend(append, random))];
  return planFlush({ accountId, head, appends, known: new Map(), moment, random });
}
