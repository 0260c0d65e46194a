// Makes deliveries: claims what is due, attempts it, stores what came of it. Any number of replicas
// do so at once. It must never hold a transaction while it waits for a receiver, never begin an
// attempt on a claim that is old, and never let one receiver keep the places of others.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { SecretKeys } from "../domain/secret-keys.ts";
import type { Metrics } from "../metrics.ts";
import type { AttemptResult } from "../outbound/exchange.ts";
import type { Message } from "../outbound/sender.ts";
import { claimDeliveries, type ClaimedRow } from "../store/claim-deliveries.ts";
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
/** How often a process that knows of nothing looks whether something has become due. */
const POLL_INTERVAL_MS = 250;
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
  #after = START;
  /** Whether anything was claimed since the round over the webhooks began. */
  #foundSome = false;
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

  /** Something may be due. */
  wake(): void {
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
   * Claims once, begins what was claimed, and resolves to whether there may be more at once. Called
   * by the loop; by tests in its place.
   */
  async round(): Promise<boolean> {
    const { database, maxInFlight, maxInFlightPerEndpoint, now, timeoutMs } = this.#deps;
    const places = maxInFlight - this.#underWay.size;
    if (places <= 0) return false;
    const cap = this.#cap(maxInFlightPerEndpoint);
    const busy = this.#perWebhook.keys();
    const askedAt = performance.now();
    const rows = await database.run(claimDeliveries, [
      now(),
      ...this.#after,
      WEBHOOKS_PER_ROUND,
      Math.min(places, DELIVERIES_PER_ROUND),
      timeoutMs + LEASE_MARGIN_MS,
      cap,
      busy,
      busy.map((id) => Math.max(0, cap - this.#perWebhook.of(id))),
    ]);
    const [first] = rows;
    const isEnd = !first || first.scanned < WEBHOOKS_PER_ROUND;
    this.#after = isEnd ? START : [first.last_account_id ?? "", first.last_webhook_id ?? ""];
    const claimed = rows.filter((row): row is typeof row & ClaimedRow => row.number !== null);
    for (const row of claimed) this.#begin(row, askedAt);
    for (const id of new Set(claimed.map((row) => row.webhook_id))) {
      if (this.#perWebhook.of(id) >= cap) this.#full.add(id);
    }
    const foundSome = this.#foundSome || claimed.length > 0;
    this.#foundSome = foundSome && !isEnd;
    return foundSome || !isEnd;
  }

  #cap(perEndpoint: number): number {
    const isCrowded = this.#underWay.size >= this.#deps.maxInFlight * CROWDED;
    return isCrowded ? Math.max(1, Math.floor(perEndpoint * CROWDED_SHARE)) : perEndpoint;
  }

  async #run(): Promise<void> {
    const { log, maxInFlight, metrics } = this.#deps;
    while (!this.#isStopping) {
      try {
        const mayBeMore = await this.round();
        const hasRoom = this.#underWay.size < maxInFlight;
        if (!mayBeMore || !hasRoom) await this.#wake.wait(POLL_INTERVAL_MS);
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
    if (this.#full.delete(webhookId)) this.#wake.wake();
    if (result === undefined) return;
    const { outcome, statusCode } = result;
    if (outcome === "abandoned") await this.#writer.release(claim);
    else await this.#writer.record({ ...claim, success: outcome === "success", statusCode });
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
