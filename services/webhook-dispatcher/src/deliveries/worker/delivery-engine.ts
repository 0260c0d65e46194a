// The delivery engine: finds webhooks with due deliveries, claims as many as the machine plans, and begins
// their attempts. Any number of replicas do so at once. The rules are in rules/delivery-machine.ts: this
// loop asks it what to claim, runs the statements, and reports the results to it. It must never begin what
// the machine has not planned.
//
// Webhooks that this process knows of are claimed for at once: it created deliveries for them, or one of
// their slots is free again. Everything else (retries, work left by other processes) is found by a scan over
// the webhooks that may have pending deliveries, which never takes more than a small share of the time.

import { type AccountRun, AccountWork, type Loop, startLoop } from "@annals/chassis";
import { isDistributed } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import { DeliveryMachine, type Grant } from "../rules/delivery-machine.ts";
import type { Limits } from "../rules/delivery-states.ts";
import { ScanSchedule, WEBHOOKS_PER_SCAN } from "../rules/scan-schedule.ts";
import { type ClaimedRow, claimDeliveries } from "../store/claim-deliveries.ts";
import { findDueWebhooks } from "../store/find-due-webhooks.ts";
import { DATABASE_CLOCK } from "../../store/moment.ts";
import { Attempts, type AttemptsDeps, LEASE_MARGIN_MS } from "./attempts.ts";

export interface DeliveryEngineDeps extends AttemptsDeps, Limits {
  readonly timeoutMs: number;
}

/** Delay while all slots are taken and none becomes free. */
const FULL_DELAY_MS = 250;
/**
 * Time from a claim that left nothing to the next one: deliveries that become due meanwhile share a statement
 * and a commit. The first claim after a quiet moment does not wait.
 */
const GATHER_MS = 5;
/** Time by which a delivery may become visible later than one that was due after it. */
const COMMIT_ORDER_MS = 1_000;
/** Maximum backoff while the database does not respond, so that deliveries are soon sent once it is back. */
const MAX_BACKOFF_MS = 1_000;

export class DeliveryEngine {
  readonly #deps: DeliveryEngineDeps;
  readonly #attempts: Attempts;
  readonly #machine: DeliveryMachine;
  readonly #scan = new ScanSchedule();
  readonly #work: AccountWork;
  /** Time on the monotonic clock at which the next claim may begin. */
  #claimAt = 0;
  #loop: Loop | undefined;

  constructor(deps: DeliveryEngineDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "deliveries");
    this.#machine = new DeliveryMachine(deps);
    const { states } = this.#machine;
    this.#attempts = new Attempts(deps, {
      onEnded: (row) => this.#wakeAfter(() => this.#machine.ended(ownerOf(row))),
      onReleased: (row) => this.#wakeAfter(() => this.#machine.released(ownerOf(row))),
      onRead: (accountId, isRead) =>
        this.#wakeAfter(() => states.read(accountId, isRead, performance.now())),
    });
  }

  start(): void {
    const { log, metrics } = this.#deps;
    this.#loop ??= startLoop({
      name: "deliveries",
      log,
      failures: metrics.failures,
      delayMs: FULL_DELAY_MS,
      maxBackoffMs: MAX_BACKOFF_MS,
      run: () => this.#run(),
    });
  }

  /** Called when deliveries of these webhooks may be due. */
  notify(accountId: string, webhookIds: Iterable<string>): void {
    this.#scan.expectQueue(performance.now());
    this.#wakeAfter(() => this.#machine.notified(accountId, webhookIds));
  }

  /**
   * Claims nothing more. Attempts in flight get `graceMs`, then they are released. Resolves when all results
   * are stored.
   */
  async stop(graceMs: number): Promise<void> {
    this.#attempts.drain();
    await this.#loop?.stop();
    const timer = setTimeout(() => this.#deps.sender.abandon(), graceMs);
    await this.settled();
    clearTimeout(timer);
  }

  /** Resolves when all claimed deliveries are being sent. For tests. */
  begun(): Promise<void> {
    return this.#attempts.begun();
  }

  /** Resolves when nothing is in flight. */
  settled(): Promise<void> {
    return this.#attempts.settled();
  }

  /**
   * Scans once, if `scans` is true, claims once, and begins what was claimed. Called by the loop, and by
   * tests in its place. Resolves to whether there may be more to do at once.
   */
  async round(scans = true): Promise<boolean> {
    if (this.#machine.states.isFull) return false;
    const run = this.#work.begin();
    if (scans) await this.#find(run);
    await this.#claim();
    run.end();
    return this.#machine.states.hasWork || this.#scan.dueInMs(performance.now()) <= 0;
  }

  /** Makes one run of the loop. Resolves to the delay before the next. */
  async #run(): Promise<number> {
    const gatherMs = this.#claimAt - performance.now();
    if (gatherMs > 0) await pause(gatherMs);
    if (this.#machine.states.isFull) return FULL_DELAY_MS;
    const hasMore = await this.round(this.#scan.dueInMs(performance.now()) <= 0);
    return hasMore ? 0 : this.#scan.dueInMs(performance.now());
  }

  async #find(run: AccountRun): Promise<void> {
    const { states } = this.#machine;
    if (states.capacity < WEBHOOKS_PER_SCAN) return;
    const begunAt = performance.now();
    const { after } = this.#scan;
    const { database, now } = this.#deps;
    const rows = await run.list(after.join(), () =>
      database.run(findDueWebhooks, [now(), ...after, WEBHOOKS_PER_SCAN]),
    );
    for (const { account_id: accountId, due_at: dueAt, webhook_id: id } of rows) {
      // What an earlier list said of times has changed since.
      if (run.hasOldList) this.#machine.notified(accountId, [id]);
      else if (dueAt !== null) this.#machine.found(accountId, id, dueAt);
    }
    const last = rows[WEBHOOKS_PER_SCAN - 1];
    this.#scan.ended(last && [last.account_id, last.webhook_id], {
      begunAt,
      found: rows.length,
      now: performance.now(),
    });
  }

  async #claim(): Promise<void> {
    const requestedAt = performance.now();
    const grants = this.#machine.plan(requestedAt);
    if (grants.length === 0) return;
    if (await this.#isDistributed(grants)) await this.#claimEach(grants, requestedAt);
    else await this.#claimFor(grants, requestedAt);
    if (!this.#machine.states.hasWork) this.#claimAt = performance.now() + GATHER_MS;
  }

  #isDistributed(grants: readonly Grant[]): Promise<boolean> {
    return this.#orFail(grants, isDistributed(this.#deps.database));
  }

  /** Claims for each account apart. An account that fails is paused for a moment, and fails no other. */
  async #claimEach(grants: readonly Grant[], requestedAt: number): Promise<void> {
    const { log, metrics } = this.#deps;
    const claims = Map.groupBy(grants, ({ accountId }) => accountId);
    await Promise.all(
      Array.from(claims, ([accountId, some]) =>
        this.#claimFor(some, requestedAt).catch((err: unknown) => {
          this.#machine.states.read(accountId, false, performance.now());
          metrics.failures.inc({ worker: "deliveries" });
          log.warn({ err, account_id: accountId }, "failed to claim deliveries of an account");
        }),
      ),
    );
  }

  async #claimFor(grants: readonly Grant[], requestedAt: number): Promise<void> {
    const rows = await this.#orFail(grants, this.#ask(grants));
    const claimed = rows.map((row) => ({ ...ownerOf(row), dueAt: row.was_due_at, row }));
    const { begun, refused } = this.#machine.claimed(grants, claimed, performance.now());
    for (const { row } of begun) {
      if (row.is_over) this.#fail(row);
      else this.#attempts.begin(row, requestedAt);
    }
    for (const { row, delayS } of refused) {
      if (!row.row.is_over) this.#attempts.release(row.row, delayS);
    }
  }

  /** The claim has stored already that the delivery has failed. */
  #fail(row: ClaimedRow): void {
    const { account_id: accountId, webhook_id: webhookId } = row;
    this.#deps.metrics.interrupted.inc();
    this.#deps.log.error(
      { account_id: accountId, webhook_id: webhookId, payload_id: row.payload_id },
      "delivery failed: each process that sent it has ended, or could not store its result",
    );
    this.#wakeAfter(() => this.#machine.ended(ownerOf(row)));
  }

  /** What was planned is due again if the answer fails. */
  async #orFail<T>(grants: readonly Grant[], answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.#machine.failed(grants);
      throw error;
    }
  }

  #ask(grants: readonly Grant[]): Promise<ClaimedRow[]> {
    const { database, now, retryDelaysS, timeoutMs } = this.#deps;
    const accountIds = grants.map(({ accountId }) => accountId);
    return database.run(claimDeliveries, [
      now(),
      [...new Set(accountIds)].toSorted(),
      accountIds,
      grants.map(({ webhookId }) => webhookId),
      grants.map(({ since }) => before(since)),
      grants.map(({ slots }) => slots),
      (timeoutMs + LEASE_MARGIN_MS) / 1_000,
      retryDelaysS,
    ]);
  }

  #wakeAfter(tell: () => void): void {
    tell();
    if (this.#machine.states.hasWork) this.#loop?.wake();
  }
}

/** Returns an earlier time, because transactions may commit in another order than they begin. */
function before(since: string | undefined): string {
  if (since === undefined) return DATABASE_CLOCK;
  return new Date(Date.parse(since) - COMMIT_ORDER_MS).toISOString();
}

function ownerOf(row: ClaimedRow) {
  return { accountId: row.account_id, webhookId: row.webhook_id, url: row.url };
}
