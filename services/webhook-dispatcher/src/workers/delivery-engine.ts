// Makes deliveries: claims what is due, attempts it, stores what came of it. Any number of replicas
// do so at once. It must never hold a transaction while it waits for a receiver, never begin an
// attempt on a claim that is old, and never let one receiver keep the places of others.
//
// What this process knows of is claimed at once: deliveries that it made, and those behind one whose place
// came free. All else (retries, what another process left) is found by a walk over every webhook with a
// queue, which never takes more than a small share of the time.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { SecretKeys } from "../domain/secret-keys.ts";
import type { Metrics } from "../metrics.ts";
import type { AttemptResult } from "../outbound/exchange.ts";
import type { Message } from "../outbound/sender.ts";
import { claimDeliveries, type ClaimedRow, type ClaimRow } from "../store/claim-deliveries.ts";
import { KeyedCount } from "./keyed-count.ts";
import { type Claim, ResultWriter } from "./result-writer.ts";
import { Wake } from "./wake.ts";

export interface DeliveryEngineDeps {
  readonly database: Database;
  readonly keys: SecretKeys;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Makes one attempt; `abandon` breaks off those under way. */
  readonly sender: { send(message: Message): Promise<AttemptResult>; abandon(): void };
  /** Null for the database's own clock, so that replicas share one; tests bring a time. */
  readonly now: () => string | null;
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerEndpoint: number;
  readonly retryDelaysS: readonly number[];
}

/**
 * An attempt begins within this time of asking for its claim, or not at all. Who switches a webhook
 * off waits as long, and can then say that none begins any more.
 */
export const START_WINDOW_MS = 1_000;

/** Deliveries that one claim takes: their bodies are in memory until they are sent. */
const DELIVERIES_PER_ROUND = 250;
/** Webhooks that one claim looks at; the next one goes on behind them. */
const WEBHOOKS_PER_ROUND = 1_000;
/** From the end of a walk over the queues to the next: this, or so many times as long as it took. */
const WALK_INTERVAL_MS = 250;
const WALK_PAUSE_RATIO = 10;
/** But never longer: a retry that waits for the walk may not be late. */
const MAX_WALK_INTERVAL_MS = 2_000;
/** A claim that filled this much of the places may have left some behind: others claim at the same time. */
const CUT_OFF = 0.5;
/** Webhooks that are named to the next claims; the walk finds those beyond. */
const MAX_NAMED = 10_000;
/** Beyond its deadline: for the start and for storing the result. */
const LEASE_MARGIN_MS = 5_000;
/** Between tries when the database does not answer. */
const FAILURE_PAUSE_MS = 1_000;
/**
 * When this much of all places is taken, each webhook may take only its share: many that hang do
 * not take all.
 */
const CROWDED = 0.5;
const CROWDED_SHARE = 0.2;

const START: readonly [string, string] = ["", ""];

export class DeliveryEngine {
  readonly #deps: DeliveryEngineDeps;
  readonly #writer: ResultWriter;
  readonly #wake = new Wake();
  readonly #perWebhook = new KeyedCount();
  readonly #underWay = new Set<Promise<void>>();
  /** Webhooks that had at least as much as they had room for. */
  readonly #full = new Set<string>();
  /** Of each webhook with attempts under way: when the last that was claimed was due. */
  readonly #since = new Map<string, string>();
  /** Webhooks that may have something due, each with its account. */
  readonly #named = new Map<string, string>();
  #after = START;
  /** When the walk goes on, on the monotonic clock. */
  #walkAt = 0;
  /** What the walk under way has taken, in milliseconds, and whether it had to leave some behind. */
  #walkedMs = 0;
  #hasLeftSome = false;
  #isStopping = false;
  #loop: Promise<void> | undefined;

  constructor(deps: DeliveryEngineDeps) {
    this.#deps = deps;
    const keepTryingMs = LEASE_MARGIN_MS;
    this.#writer = new ResultWriter({ ...deps, keepTryingMs }, deps.maxInFlight * 2);
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Some of these webhooks' deliveries may be due. */
  look(accountId: string, webhookIds: Iterable<string>): void {
    for (const id of webhookIds) if (this.#named.size < MAX_NAMED) this.#named.set(id, accountId);
    this.#wake.wake();
  }

  /**
   * Claims nothing more; attempts under way get `graceMs`, then they are given back. Resolves when
   * all is stored.
   */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#wake.wake();
    await this.#loop;
    const timer = setTimeout(() => this.#deps.sender.abandon(), graceMs);
    await this.settled();
    clearTimeout(timer);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /**
   * Claims once, of the webhooks that are named and, where it `walks`, of some of all; begins what was
   * claimed. Called by the loop; by tests in its place. Resolves to whether there may be more at once.
   */
  async round(walks = true): Promise<boolean> {
    const { database, maxInFlight, maxInFlightPerEndpoint, now, timeoutMs } = this.#deps;
    const places = Math.min(maxInFlight - this.#underWay.size, DELIVERIES_PER_ROUND);
    if (places <= 0) return false;
    const cap = this.#cap(maxInFlightPerEndpoint);
    const busy = this.#perWebhook.keys();
    const named = this.#takeNamed(cap);
    const askedAt = performance.now();
    const asked = database.run(claimDeliveries, [
      now(),
      ...this.#after,
      walks ? WEBHOOKS_PER_ROUND : 0,
      places,
      timeoutMs + LEASE_MARGIN_MS,
      cap,
      busy,
      busy.map((id) => Math.max(0, cap - this.#perWebhook.of(id))),
      named.map(([, accountId]) => accountId),
      named.map(([id]) => id),
      named.map(([id]) => this.#since.get(id) ?? null),
    ]);
    const rows = await asked.catch((error: unknown) => {
      this.#nameAgain(named);
      throw error;
    });
    const claimed = rows.filter((row): row is typeof row & ClaimedRow => row.number !== null);
    for (const row of claimed) this.#begin(row, askedAt);
    // There may be more behind what was claimed: at once where there is room, else when there is.
    for (const { account_id: accountId, due_at: dueAt, webhook_id: id } of claimed) {
      this.#since.set(id, dueAt);
      if (this.#perWebhook.of(id) >= cap) this.#full.add(id);
      else this.#named.set(id, accountId);
    }
    const isCutOff = claimed.length >= places * CUT_OFF;
    if (isCutOff) this.#nameAgain(named);
    if (walks) this.#walkOn(rows[0], { tookMs: performance.now() - askedAt, isCutOff });
    return this.#named.size > 0 || performance.now() >= this.#walkAt;
  }

  #nameAgain(named: readonly (readonly [string, string])[]): void {
    for (const [id, accountId] of named) this.#named.set(id, accountId);
  }

  /** At most as many as one claim looks at; those without a place come again when one is free. */
  #takeNamed(cap: number): [string, string][] {
    const taken: [string, string][] = [];
    for (const [id, accountId] of this.#named) {
      if (taken.length >= WEBHOOKS_PER_ROUND) break;
      this.#named.delete(id);
      if (this.#perWebhook.of(id) < cap) taken.push([id, accountId]);
      else this.#full.add(id);
    }
    return taken;
  }

  /** Where and when the walk goes on: at once, unless it has come to its end and nothing was left over. */
  #walkOn(
    row: ClaimRow | undefined,
    { tookMs, isCutOff }: { readonly tookMs: number; readonly isCutOff: boolean },
  ): void {
    const isEnd = !row || row.scanned < WEBHOOKS_PER_ROUND;
    this.#after = isEnd ? START : [row.last_account_id ?? "", row.last_webhook_id ?? ""];
    this.#walkedMs += tookMs;
    this.#hasLeftSome ||= isCutOff;
    this.#walkAt = performance.now();
    if (!isEnd) return;
    const pauseMs = Math.max(WALK_INTERVAL_MS, this.#walkedMs * WALK_PAUSE_RATIO);
    if (!this.#hasLeftSome) this.#walkAt += Math.min(pauseMs, MAX_WALK_INTERVAL_MS);
    this.#walkedMs = 0;
    this.#hasLeftSome = false;
  }

  #cap(perEndpoint: number): number {
    const isCrowded = this.#underWay.size >= this.#deps.maxInFlight * CROWDED;
    return isCrowded ? Math.max(1, Math.floor(perEndpoint * CROWDED_SHARE)) : perEndpoint;
  }

  async #run(): Promise<void> {
    const { log, maxInFlight, metrics } = this.#deps;
    while (!this.#isStopping) {
      try {
        const untilWalkMs = Math.ceil(this.#walkAt - performance.now());
        if (this.#underWay.size >= maxInFlight) await this.#wake.wait(WALK_INTERVAL_MS);
        else if (untilWalkMs <= 0 || this.#named.size > 0) await this.round(untilWalkMs <= 0);
        else await this.#wake.wait(untilWalkMs);
      } catch (error) {
        metrics.failures.inc({ worker: "deliveries" });
        log.warn({ err: error }, "deliveries cannot be claimed");
        await this.#wake.wait(FAILURE_PAUSE_MS);
      }
    }
  }

  #begin(row: ClaimedRow, askedAt: number): void {
    this.#perWebhook.add(row.webhook_id);
    const one: Promise<void> = this.#carry(row, askedAt).finally(() => {
      this.#underWay.delete(one);
      this.#deps.metrics.inFlight.set(this.#underWay.size);
      if (this.#underWay.size === this.#deps.maxInFlight - 1) this.#wake.wake();
    });
    this.#underWay.add(one);
    this.#deps.metrics.inFlight.set(this.#underWay.size);
  }

  async #carry(row: ClaimedRow, askedAt: number): Promise<void> {
    const { account_id: accountId, webhook_id: webhookId, number, fence } = row;
    const claim: Claim = { accountId, webhookId, number, fence };
    const result = await this.#attempt(row, askedAt);
    this.#perWebhook.take(webhookId);
    if (this.#perWebhook.of(webhookId) === 0) this.#since.delete(webhookId);
    if (this.#full.delete(webhookId)) this.look(accountId, [webhookId]);
    if (result === undefined) return;
    const { outcome, statusCode } = result;
    if (outcome === "abandoned") {
      await this.#writer.release(claim);
      this.look(accountId, [webhookId]);
    } else await this.#writer.record({ ...claim, success: outcome === "success", statusCode });
  }

  /** Undefined where the claim is of no use: its lease ends by itself. */
  async #attempt(row: ClaimedRow, askedAt: number): Promise<AttemptResult | undefined> {
    const { keys, metrics, sender } = this.#deps;
    let secret: string;
    try {
      const sealed = { keyId: row.secret_key_id, bytes: row.secret_sealed };
      secret = keys.open(sealed, { accountId: row.account_id, webhookId: row.webhook_id });
    } catch (error) {
      this.#deps.log.error(
        { err: error, webhook_id: row.webhook_id },
        "signing secret cannot be opened",
      );
      return undefined;
    }
    const started = performance.now();
    if (this.#isStopping || started - askedAt >= START_WINDOW_MS) {
      return { outcome: "abandoned", statusCode: null };
    }
    metrics.lateness.observe(row.late_s);
    const { url, payload_id: payloadId, body } = row;
    const result = await sender.send({ url, secret, payloadId, body });
    if (result.outcome !== "abandoned") {
      const { outcome } = result;
      metrics.attempts.observe({ outcome }, (performance.now() - started) / 1000);
    }
    return result;
  }
}
