// The attempts under way in this process: begins what was claimed, sends it, stores the result. Called by
// delivery-engine.ts. It must never begin an attempt on an old claim, and never hold a transaction while it
// waits for a receiver.

import { failSpan, inTrace, type Logger, type Span } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { SecretKeys } from "../domain/secret-keys.ts";
import type { Metrics } from "../metrics.ts";
import type { AttemptResult } from "../outbound/exchange.ts";
import type { Message } from "../outbound/sender.ts";
import type { ClaimedDelivery } from "./bodies.ts";
import type { DeliveryTraces } from "./delivery-traces.ts";
import { type Claim, ResultWriter } from "./result-writer.ts";

export interface AttemptsDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly keys: SecretKeys;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Makes one attempt; `abandon` ends those under way. */
  readonly sender: { send(message: Message): Promise<AttemptResult>; abandon(): void };
  readonly traces: DeliveryTraces;
  /** Null for the database's own clock, so that replicas share one; tests bring a time. */
  readonly now: () => string | null;
  readonly maxInFlight: number;
  readonly retryDelaysS: readonly number[];
  readonly disableAfterDays: number;
}

export interface AttemptsEvents {
  /** An attempt of the webhook has ended: its slot is free. */
  readonly onEnded: (accountId: string, webhookId: string) => void;
  /** A claimed delivery was released: it is due again. */
  readonly onReleased: (accountId: string, webhookId: string) => void;
  /** All slots were taken, and one is free now. */
  readonly onFree: () => void;
}

/**
 * An attempt begins within this time of requesting its claim, or not at all. Disabling a webhook waits as
 * long, and can then answer that no attempt begins any more.
 */
export const START_WINDOW_MS = 1_000;

/** How long after the deadline of an attempt its lease lasts: for the start, and for storing the result. */
export const LEASE_MARGIN_MS = 5_000;

export class Attempts {
  readonly #deps: AttemptsDeps;
  readonly #events: AttemptsEvents;
  readonly #writer: ResultWriter;
  readonly #underWay = new Set<Promise<void>>();
  readonly #perWebhook = new Map<string, number>();
  readonly #perAccount = new Map<string, number>();
  #isStopping = false;

  constructor(deps: AttemptsDeps, events: AttemptsEvents) {
    this.#deps = deps;
    this.#events = events;
    const keepTryingMs = LEASE_MARGIN_MS;
    this.#writer = new ResultWriter({ ...deps, keepTryingMs }, deps.maxInFlight * 2);
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Attempts under way to one webhook. */
  of(webhookId: string): number {
    return this.#perWebhook.get(webhookId) ?? 0;
  }

  /** Attempts under way to all webhooks of one account. */
  ofAccount(accountId: string): number {
    return this.#perAccount.get(accountId) ?? 0;
  }

  /** The webhooks with attempts under way. */
  webhookIds(): string[] {
    return [...this.#perWebhook.keys()];
  }

  /** The accounts with attempts under way. */
  accountIds(): string[] {
    return [...this.#perAccount.keys()];
  }

  /** Begins an attempt of what was claimed; `requestedAt` is on the monotonic clock. */
  begin(row: ClaimedDelivery, requestedAt: number): void {
    const { maxInFlight, metrics } = this.#deps;
    add(this.#perWebhook, row.webhook_id, 1);
    add(this.#perAccount, row.account_id, 1);
    const span = this.#deps.traces.startAttempt(row);
    const run = inTrace(span, () => this.#run(row, requestedAt, span));
    const one: Promise<void> = run.finally(() => {
      span?.end();
      this.#underWay.delete(one);
      metrics.inFlight.set(this.#underWay.size);
      if (this.#underWay.size === maxInFlight - 1) this.#events.onFree();
    });
    this.#underWay.add(one);
    metrics.inFlight.set(this.#underWay.size);
  }

  /** Claims that arrive from now on are released unattempted. */
  drain(): void {
    this.#isStopping = true;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #run(row: ClaimedDelivery, requestedAt: number, span: Span | undefined): Promise<void> {
    const { account_id: accountId, webhook_id: webhookId, number, fence } = row;
    const claim: Claim = { accountId, webhookId, number, fence };
    const result = await this.#attempt(row, requestedAt);
    add(this.#perWebhook, webhookId, -1);
    add(this.#perAccount, accountId, -1);
    this.#events.onEnded(accountId, webhookId);
    if (result === undefined) return;
    const { outcome, statusCode } = result;
    if (outcome === "success") this.#deps.traces.forget(row.payload_id);
    else if (span) failSpan(span, outcome);
    if (outcome === "abandoned") {
      await this.#writer.release(claim);
      this.#events.onReleased(accountId, webhookId);
    } else await this.#writer.record({ ...claim, success: outcome === "success", statusCode });
  }

  /** Undefined where this replica cannot sign: the lease of the claim runs out. */
  async #attempt(row: ClaimedDelivery, requestedAt: number): Promise<AttemptResult | undefined> {
    const { keys, metrics, sender } = this.#deps;
    const owner = { accountId: row.account_id, webhookId: row.webhook_id };
    const { previous_key_id: previousKeyId, previous_sealed: previousSealed } = row;
    let secret: string;
    let previousSecret: string | undefined;
    try {
      secret = keys.open({ keyId: row.secret_key_id, bytes: row.secret_sealed }, owner);
      if (previousKeyId !== null && previousSealed !== null) {
        previousSecret = keys.open({ keyId: previousKeyId, bytes: previousSealed }, owner);
      }
    } catch (error) {
      this.#deps.log.error(
        { err: error, webhook_id: row.webhook_id },
        "signing secret cannot be opened",
      );
      return undefined;
    }
    const startedAt = performance.now();
    if (this.#isStopping || startedAt - requestedAt >= START_WINDOW_MS) {
      return { outcome: "abandoned", statusCode: null };
    }
    metrics.lateness.observe(row.late_s);
    const { url, payload_id: payloadId, body } = row;
    const { accountId } = owner;
    const message = { accountId, url, secret, previousSecret, payloadId, body };
    const result = await sender.send(message);
    if (result.outcome !== "abandoned") {
      const { outcome } = result;
      metrics.attempts.observe({ outcome }, (performance.now() - startedAt) / 1000);
    }
    return result;
  }
}

function add(counts: Map<string, number>, id: string, change: 1 | -1): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}
