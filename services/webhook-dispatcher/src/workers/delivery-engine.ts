// The delivery engine: claims deliveries that are due, and begins their attempts. Any number of replicas do
// so at once. It must never let one receiver or one account take the slots of others, and never claim more
// than it has slots for.
//
// Webhooks of which this process knows are claimed at once: it made deliveries for them, or one of their
// slots is free again. All else (retries, work left by other processes) is found by a scan over every webhook
// with a queue, which never takes more than a small share of the time.

import { type Loop, startLoop } from "@annals/chassis";
import { claimDeliveries, type ClaimedRow, type ClaimRow } from "../store/claim-deliveries.ts";
import { Attempts, type AttemptsDeps, LEASE_MARGIN_MS } from "./attempts.ts";
import { withStoredPayloads } from "./bodies.ts";
import { Hosts } from "./hosts.ts";
import { UnreadAccounts } from "./unread-accounts.ts";

export interface DeliveryEngineDeps extends AttemptsDeps {
  readonly timeoutMs: number;
  readonly maxInFlightPerEndpoint: number;
  readonly maxInFlightPerAccount: number;
  readonly maxInFlightPerHost: number;
}

/** Deliveries that one claim takes: their bodies are in memory until they are sent. */
const DELIVERIES_PER_ROUND = 250;
/** Webhooks that one claim looks at; the next one goes on behind them. */
const WEBHOOKS_PER_ROUND = 1_000;
/** From the end of a scan over the queues to the next: this, or so many times as long as it took. */
const SCAN_INTERVAL_MS = 250;
const SCAN_PAUSE_RATIO = 10;
/** But never longer: a retry that waits for the scan may not be late. */
const MAX_SCAN_INTERVAL_MS = 2_000;
/** A claim that filled this share of the slots may have left some behind: others claim at the same time. */
const FILLED_SHARE = 0.5;
/** Webhooks that wait for the next claims; the scan finds those beyond. */
const MAX_NOTIFIED = 10_000;
/** While the database does not answer: a delivery may not be late for long after it is back. */
const MAX_BACKOFF_MS = 1_000;
/** When this share of all slots is taken, each webhook and account gets less: many that hang leave some. */
const CROWDED_SHARE = 0.5;
const SLOTS_SHARE_WHEN_CROWDED = 0.2;

/** Deliveries of a crowded host whose webhook cannot wait in memory are due again after this time. */
const CROWDED_DELAY_S = 1;

const START: readonly [string, string] = ["", ""];

export class DeliveryEngine {
  readonly #deps: DeliveryEngineDeps;
  readonly #attempts: Attempts;
  readonly #hosts: Hosts;
  /** Webhooks that had at least as many deliveries due as they had slots. */
  readonly #full = new Set<string>();
  /** Webhooks that wait for a slot of their account's share. */
  readonly #waitingForShare = new Map<string, Set<string>>();
  /** Of each webhook with attempts under way: when the last claimed one was due. */
  readonly #lastDueAt = new Map<string, string>();
  /** Webhooks that may have something due, each with its account. */
  readonly #notified = new Map<string, string>();
  readonly #unread = new UnreadAccounts();
  #scanAfter = START;
  /** When the scan goes on, on the monotonic clock. */
  #scanAt = 0;
  /** What the scan under way has taken so far, and whether it had to leave some behind. */
  #scannedMs = 0;
  #hasLeftSome = false;
  #loop: Loop | undefined;

  constructor(deps: DeliveryEngineDeps) {
    this.#deps = deps;
    this.#hosts = new Hosts({
      maxPerHost: deps.maxInFlightPerHost,
      onFree: (accountId, webhookId) => this.notify(accountId, [webhookId]),
    });
    this.#attempts = new Attempts(deps, {
      onEnded: (accountId, webhookId) => this.#onEnded(accountId, webhookId),
      onReleased: (accountId, webhookId) => this.notify(accountId, [webhookId]),
      onFree: () => this.#loop?.wake(),
      onRead: (accountId, isRead) => this.#unread.onRead(accountId, isRead),
    });
  }

  start(): void {
    const { log, metrics } = this.#deps;
    this.#loop ??= startLoop({
      name: "deliveries",
      log,
      failures: metrics.failures,
      delayMs: SCAN_INTERVAL_MS,
      maxBackoffMs: MAX_BACKOFF_MS,
      run: () => this.#run(),
    });
  }

  /** Some of these webhooks' deliveries may be due. */
  notify(accountId: string, webhookIds: Iterable<string>): void {
    for (const id of webhookIds) {
      if (this.#notified.size < MAX_NOTIFIED) this.#notified.set(id, accountId);
    }
    this.#loop?.wake();
  }

  /**
   * Claims nothing more; attempts under way get `graceMs`, then they are released. Resolves when all results
   * are stored.
   */
  async stop(graceMs: number): Promise<void> {
    this.#attempts.drain();
    await this.#loop?.stop();
    const timer = setTimeout(() => this.#deps.sender.abandon(), graceMs);
    await this.settled();
    clearTimeout(timer);
  }

  /** Resolves when what was claimed is being sent. For tests. */
  begun(): Promise<void> {
    return this.#attempts.begun();
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#attempts.settled();
  }

  /**
   * Claims once, for the notified webhooks and, where it `scans`, for some of all; begins what was claimed.
   * Called by the loop, and by tests in its place. Resolves to whether there may be more at once.
   */
  async round(scans = true): Promise<boolean> {
    const { database, maxInFlight, now, timeoutMs } = this.#deps;
    const slots = Math.min(maxInFlight - this.#attempts.underWay, DELIVERIES_PER_ROUND);
    if (slots <= 0) return false;
    const perWebhook = this.#shareOf(this.#deps.maxInFlightPerEndpoint);
    const perAccount = this.#shareOf(this.#deps.maxInFlightPerAccount);
    this.#hosts.expire();
    const notified = this.#takeNotified(perWebhook, perAccount);
    const busy = this.#busyWebhooks(perWebhook, notified);
    const busyAccounts = [...new Set([...this.#attempts.accountIds(), ...this.#unread.ids()])];
    const requestedAt = performance.now();
    const answer = database.run(claimDeliveries, [
      now(),
      ...this.#scanAfter,
      scans ? WEBHOOKS_PER_ROUND : 0,
      slots,
      timeoutMs + LEASE_MARGIN_MS,
      perWebhook,
      [...busy.keys()],
      [...busy.values()],
      notified.map(([, accountId]) => accountId),
      notified.map(([id]) => id),
      notified.map(([id]) => this.#lastDueAt.get(id) ?? null),
      perAccount,
      busyAccounts,
      busyAccounts.map((id) => this.#slotsOf(id, perAccount)),
    ]);
    const rows = await answer.catch((error: unknown) => {
      this.#notifyAgain(notified);
      throw error;
    });
    const claimed = await withStoredPayloads(
      this.#deps,
      rows.filter((row): row is typeof row & ClaimedRow => row.number !== null),
    );
    for (const row of claimed) this.#begin(row, requestedAt);
    // There may be more behind what was claimed: now where there is a slot, else when there is.
    for (const { account_id: accountId, due_at: dueAt, webhook_id: id } of claimed) {
      this.#lastDueAt.set(id, dueAt);
      if (this.#attempts.of(id) >= perWebhook) this.#full.add(id);
      else this.#notified.set(id, accountId);
    }
    const isCutOff = claimed.length >= slots * FILLED_SHARE;
    // What an account's share or the slots have cut off.
    const isLeft = (id: string) => isCutOff || this.#attempts.ofAccount(id) >= perAccount;
    this.#notifyAgain(notified.filter(([, accountId]) => isLeft(accountId)));
    if (scans) this.#scanOn(rows[0], { tookMs: performance.now() - requestedAt, isCutOff });
    return this.#notified.size > 0 || this.#untilScanMs() <= 0;
  }

  #begin(row: ClaimedRow, requestedAt: number): void {
    const { account_id: accountId, url, webhook_id: webhookId } = row;
    const freeHost = this.#hosts.take(accountId, webhookId, url);
    if (freeHost) this.#attempts.begin(row, requestedAt, freeHost);
    else {
      const waits = this.#hosts.wait(accountId, webhookId);
      this.#attempts.release(row, waits ? 0 : CROWDED_DELAY_S);
    }
  }

  /** The slots of the webhooks that have fewer than others. */
  #busyWebhooks(
    perWebhook: number,
    notified: readonly (readonly [string, string])[],
  ): Map<string, number> {
    const slots = new Map<string, number>();
    for (const id of this.#attempts.webhookIds())
      slots.set(id, Math.max(0, perWebhook - this.#attempts.of(id)));
    for (const [id, accountId] of notified) {
      const atHost = this.#hosts.slotsFor(accountId, id) ?? perWebhook;
      if (atHost < perWebhook) slots.set(id, Math.min(slots.get(id) ?? perWebhook, atHost));
    }
    for (const id of this.#hosts.waitingIds()) slots.set(id, 0);
    return slots;
  }

  /** What an account may claim. */
  #slotsOf(accountId: string, perAccount: number): number {
    const slots = Math.max(0, perAccount - this.#attempts.ofAccount(accountId));
    return this.#unread.limit(accountId, slots);
  }

  /** One run of the loop. Resolves to the delay before the next. */
  async #run(): Promise<number> {
    if (this.#attempts.underWay >= this.#deps.maxInFlight) return SCAN_INTERVAL_MS;
    const untilScanMs = this.#untilScanMs();
    if (untilScanMs > 0 && this.#notified.size === 0) return untilScanMs;
    const hasMore = await this.round(untilScanMs <= 0);
    return hasMore ? 0 : this.#untilScanMs();
  }

  #untilScanMs(): number {
    return Math.ceil(this.#scanAt - performance.now());
  }

  #onEnded(accountId: string, webhookId: string): void {
    if (this.#attempts.of(webhookId) === 0) this.#lastDueAt.delete(webhookId);
    if (this.#full.delete(webhookId)) this.notify(accountId, [webhookId]);
    const waiting = this.#waitingForShare.get(accountId);
    if (!waiting) return;
    this.#waitingForShare.delete(accountId);
    this.notify(accountId, waiting);
  }

  #notifyAgain(notified: readonly (readonly [string, string])[]): void {
    for (const [id, accountId] of notified) this.#notified.set(id, accountId);
  }

  /**
   * At most as many as one claim looks at, and no more of an account than it has slots; the rest comes with
   * the next. Those without a slot come again when one is free.
   */
  #takeNotified(perWebhook: number, perAccount: number): [string, string][] {
    const taken: [string, string][] = [];
    const slotsOf = new Map<string, number>();
    for (const [id, accountId] of this.#notified) {
      if (taken.length >= WEBHOOKS_PER_ROUND) break;
      const own = this.#slotsOf(accountId, perAccount);
      const slots = slotsOf.get(accountId) ?? own;
      if (slots <= 0 && own > 0) continue;
      this.#notified.delete(id);
      if (this.#attempts.of(id) >= perWebhook) this.#full.add(id);
      else if (slots <= 0) this.#await(accountId, id);
      else if (this.#hosts.slotsFor(accountId, id) === 0) this.#hosts.wait(accountId, id);
      else {
        taken.push([id, accountId]);
        slotsOf.set(accountId, slots - 1);
      }
    }
    return taken;
  }

  /** The scan finds those beyond the bound. */
  #await(accountId: string, webhookId: string): void {
    const waiting = this.#waitingForShare.get(accountId) ?? new Set();
    if (waiting.size < WEBHOOKS_PER_ROUND) waiting.add(webhookId);
    this.#waitingForShare.set(accountId, waiting);
  }

  /** Where and when the scan goes on: at once, unless it has come to its end and left nothing behind. */
  #scanOn(
    row: ClaimRow | undefined,
    { tookMs, isCutOff }: { readonly tookMs: number; readonly isCutOff: boolean },
  ): void {
    const isEnd = !row || row.scanned < WEBHOOKS_PER_ROUND;
    this.#scanAfter = isEnd ? START : [row.last_account_id ?? "", row.last_webhook_id ?? ""];
    this.#scannedMs += tookMs;
    this.#hasLeftSome ||= isCutOff;
    this.#scanAt = performance.now();
    if (!isEnd) return;
    const pauseMs = Math.max(SCAN_INTERVAL_MS, this.#scannedMs * SCAN_PAUSE_RATIO);
    if (!this.#hasLeftSome) this.#scanAt += Math.min(pauseMs, MAX_SCAN_INTERVAL_MS);
    this.#scannedMs = 0;
    this.#hasLeftSome = false;
  }

  #shareOf(slots: number): number {
    const isCrowded = this.#attempts.underWay >= this.#deps.maxInFlight * CROWDED_SHARE;
    return isCrowded ? Math.max(1, Math.floor(slots * SLOTS_SHARE_WHEN_CROWDED)) : slots;
  }
}
