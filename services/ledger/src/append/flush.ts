// Stores one group of appends to one chain. Called by append-queue.ts. If this process was the last to
// append, it tries the cached head at once: one statement, one round trip, which stores nothing if the head
// has moved or an idempotency key is known. Otherwise it locks and reads the head first. Either way the
// statement's own conditions on the head and on the last event decide, not what this process has cached.

import type { Logger } from "@annals/chassis";
import { type Clock, type Slots, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Notices } from "@annals/messaging";
import type { Database, Pool } from "@annals/postgres";
import { momentOf } from "./rules/chain-time.ts";
import type { Metrics } from "../metrics.ts";
import {
  type KnownRequest,
  type Plan,
  planFlush,
  type Replayed,
  type Stored,
} from "./rules/plan-flush.ts";
import { type PreparedAppend, weightOf } from "./rules/prepare-append.ts";
import { findIdempotencyKeys } from "./store/find-idempotency-keys.ts";
import { lockHead } from "../store/lock-head.ts";
import type { GrownChains } from "./grown-chains.ts";
import { appendsOf, type Commits, MAX_SHARED_BYTES } from "./commits.ts";
import type { HeadCache } from "./head-cache.ts";
import { brokenChain, lockedHead, storeUnderLock } from "./locked-chain.ts";
import { wrongClock } from "./wrong-clock.ts";

export interface FlushDeps {
  readonly clock: Clock;
  readonly commits: Commits;
  readonly database: Pool;
  /** Gets the accounts to whose chains something was appended. */
  readonly grown: Pick<GrownChains, "add">;
  readonly heads: HeadCache;
  readonly idempotencyHours: number;
  /** Slots of large groups, which leave the rest of PostgreSQL to the others. */
  readonly large: Slots;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly notices: Notices;
  readonly random: (size: number) => Uint8Array;
}

type Outcomes = readonly PromiseSettledResult<Stored | Replayed>[];

/**
 * Resolves to one outcome per append, in order. If one append cannot be stored, the others still are. None is
 * while the clock of this replica is wrong.
 */
export function flush(
  deps: FlushDeps,
  accountId: string,
  appends: readonly PreparedAppend[],
): Promise<Outcomes> {
  const reason = wrongClock(deps.clock);
  if (reason) return Promise.resolve(appends.map(() => ({ status: "rejected", reason })));
  const store = () => storeGroup(deps, accountId, appends);
  return weightOf(appends) > MAX_SHARED_BYTES ? deps.large.run(accountId, store) : store();
}

async function storeGroup(
  deps: FlushDeps,
  accountId: string,
  appends: readonly PreparedAppend[],
): Promise<Outcomes> {
  try {
    const { after, events, outcomes } =
      (await appendToCachedHead(deps, accountId, appends)) ??
      (await appendUnderLock(deps, accountId, appends));
    announce(deps, accountId, { after, events });
    return outcomes;
  } catch (error) {
    deps.heads.forget(accountId);
    return refused(deps, accountId, appends, error);
  }
}

/** What follows every append: the tree of the chain grows, and the webhook dispatcher gets a notice. */
export function announce(
  deps: Pick<FlushDeps, "grown" | "metrics" | "notices">,
  accountId: string,
  { after, events }: Pick<Plan, "after" | "events">,
): void {
  deps.metrics.flushes.observe(events.length);
  if (events.length === 0) return;
  deps.grown.add(accountId, events.length, after.sequence);
  // The system account has no webhooks: no key can create one.
  if (accountId === SYSTEM_ACCOUNT_ID) return;
  const position = BigInt(after.sequence);
  deps.notices.notify({ kind: "events", accountId, position }, events.length);
}

/** Resolves to undefined if the cached head is stale: then nothing was stored. */
async function appendToCachedHead(
  deps: FlushDeps,
  accountId: string,
  appends: readonly PreparedAppend[],
): Promise<Plan | undefined> {
  const cached = deps.heads.get(accountId);
  if (!cached?.alone) return undefined;
  const plan = planFlush({
    ...planned(deps, accountId, appends),
    head: cached.head,
    known: new Map(),
  });
  // What seems over the quota may be a replay, which does not count: that is only known under the lock.
  if (plan.isOverQuota) return undefined;
  if (!(await deps.commits.store({ accountId, plan }))) return undefined;
  deps.heads.set(accountId, { head: plan.after, alone: true });
  return plan;
}

async function appendUnderLock(
  deps: FlushDeps,
  accountId: string,
  appends: readonly PreparedAppend[],
): Promise<Plan> {
  const { idempotencyHours } = deps;
  const cached = deps.heads.get(accountId);
  const database = deps.database.forAccount(appendsOf(accountId));
  const append = async (transaction: Database) => {
    const head = await lockedHead(transaction, accountId, lockHead);
    const known = await knownRequests(transaction, accountId, appends, idempotencyHours);
    const made = planFlush({ ...planned(deps, accountId, appends), head, known });
    if (made.events.length > 0)
      await storeUnderLock(transaction, { accountId, plan: made }, idempotencyHours);
    return made;
  };
  const plan = await database.transaction(append, () => weightOf(appends));
  const alone = cached === undefined || cached.head.hash === plan.before.hash;
  deps.heads.set(accountId, { head: plan.after, alone });
  return plan;
}

async function knownRequests(
  transaction: Database,
  accountId: string,
  appends: readonly PreparedAppend[],
  hours: number,
): Promise<Map<string, KnownRequest>> {
  const keys = appends.map(({ idempotencyKey }) => idempotencyKey).filter((key) => key !== "");
  if (keys.length === 0) return new Map();
  const rows = await transaction.run(findIdempotencyKeys, [accountId, keys, hours]);
  return new Map(
    rows.map((row) => [
      row.idempotency_key,
      {
        requestSha256: row.request_sha256,
        firstSequence: Number(row.first_sequence_number),
        eventCount: row.event_count,
      },
    ]),
  );
}

function planned(
  { clock, random }: FlushDeps,
  accountId: string,
  appends: readonly PreparedAppend[],
) {
  return { accountId, appends, moment: momentOf(clock), random };
}

/**
 * The outcomes of a group that PostgreSQL did not store. A transient failure, or one whose outcome is
 * unknown, fails every append: nothing is retried. A chain that does not end at its head raises the alert.
 * Any other error is about data that PostgreSQL refuses: the group is halved until only the append at fault
 * fails.
 */
async function refused(
  deps: FlushDeps,
  accountId: string,
  appends: readonly PreparedAppend[],
  error: unknown,
): Promise<Outcomes> {
  const reason = brokenChain(deps, accountId, error);
  if (reason) {
    return appends.map(() => ({ status: "rejected", reason }));
  }
  if (error instanceof AnnalsError || appends.length === 1) {
    return appends.map(() => ({ status: "rejected", reason: error }));
  }
  const half = Math.ceil(appends.length / 2);
  return [
    ...(await storeGroup(deps, accountId, appends.slice(0, half))),
    ...(await storeGroup(deps, accountId, appends.slice(half))),
  ];
}
