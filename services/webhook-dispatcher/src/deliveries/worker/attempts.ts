// The attempts in flight in this process: begins claimed deliveries, reads what they send, sends it, stores
// the result. Called by delivery-engine.ts. It must never begin an attempt on an old claim, and never hold a
// transaction while it waits for a receiver. A delivery whose event cannot be read now is released: that does
// not count as an attempt.

import { failSpan, inTrace, type Logger, type Span } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import type { Metrics } from "../../metrics.ts";
import { deliveryFailure } from "../delivery-failure.ts";
import type { AttemptResult } from "../../outbound/exchange.ts";
import type { Message } from "../../outbound/sender.ts";
import type { EventReader } from "../event-reader.ts";
import type { ClaimedRow } from "../store/claim-deliveries.ts";
import { bodyOf } from "./bodies.ts";
import type { DeliveryTraces } from "./delivery-traces.ts";
import { type Claim, ResultWriter } from "./result-writer.ts";

export interface AttemptsDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly events: Pick<EventReader, "read">;
  readonly keys: SecretKeys;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Makes attempts; `abandon` ends those in flight. */
  readonly sender: { send(message: Message): Promise<AttemptResult>; abandon(): void };
  readonly traces: DeliveryTraces;
  /** See store/moment.ts. */
  readonly now: () => string;
  readonly maxInFlight: number;
  readonly retryDelaysS: readonly number[];
  readonly disableAfterDays: number;
}

export interface AttemptsEvents {
  /** Called when an attempt has ended: its slot is free. */
  readonly onEnded: (row: ClaimedRow) => void;
  /** Called when a claimed delivery was released: it is due again. */
  readonly onReleased: (row: ClaimedRow) => void;
  /** Called with whether the events that deliveries of the account send can be read. */
  readonly onRead: (accountId: string, isRead: boolean) => void;
}

/**
 * An attempt begins within this time of requesting its claim, or not at all. Disabling a webhook waits for
 * the same time, and can then promise that no further attempt begins.
 */
export const START_WINDOW_MS = 1_000;

/** Time by which a lease outlasts the timeout of its attempt: to start it, and to store the result. */
export const LEASE_MARGIN_MS = 5_000;

/** Seconds after which a delivery whose event could not be read is due again. */
const UNREAD_DELAY_S = 1;
/** Seconds after which a delivery that this replica cannot sign is due again: another may have the key. */
const UNSIGNED_DELAY_S = 15;

export class Attempts {
  readonly #deps: AttemptsDeps;
  readonly #events: AttemptsEvents;
  readonly #writer: ResultWriter;
  readonly #underWay = new Set<Promise<void>>();
  readonly #reading = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(deps: AttemptsDeps, events: AttemptsEvents) {
    this.#deps = deps;
    this.#events = events;
    const keepTryingMs = LEASE_MARGIN_MS;
    this.#writer = new ResultWriter({ ...deps, keepTryingMs }, deps.maxInFlight * 2);
  }

  /** Begins an attempt of a claimed delivery; `requestedAt` is on the monotonic clock. */
  begin(row: ClaimedRow, requestedAt: number): void {
    const span = this.#deps.traces.startAttempt(row);
    const run = inTrace(span, () => this.#run(row, requestedAt, span));
    this.#hold(run.finally(() => span?.end()));
  }

  /** Releases a claimed delivery that cannot begin. */
  release(row: ClaimedRow, delayS: number): void {
    this.#hold(this.#writer.release({ ...claimOf(row), delayS }));
  }

  #hold(work: Promise<void>): void {
    const one: Promise<void> = work.finally(() => {
      this.#underWay.delete(one);
      this.#deps.metrics.inFlight.set(this.#underWay.size);
    });
    this.#underWay.add(one);
    this.#deps.metrics.inFlight.set(this.#underWay.size);
  }

  /** Releases all claims that arrive from now on, unattempted. */
  drain(): void {
    this.#isStopping = true;
  }

  /** Resolves when no attempt waits to read what it sends. */
  async begun(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading);
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #run(row: ClaimedRow, requestedAt: number, span: Span | undefined): Promise<void> {
    const result = await this.#attempt(row, requestedAt);
    this.#events.onEnded(row);
    const { outcome, statusCode } = result;
    if (outcome === "success") this.#deps.traces.forget(row.payload_id);
    else if (span) failSpan(span, outcome);
    if (outcome === "unread" || outcome === "unsigned") {
      const delayS = outcome === "unread" ? UNREAD_DELAY_S : UNSIGNED_DELAY_S;
      await this.#writer.release({ ...claimOf(row), delayS });
    } else if (outcome === "abandoned") {
      await this.#writer.release({ ...claimOf(row), delayS: 0 });
      this.#events.onReleased(row);
    } else {
      const success = outcome === "success";
      const failure = result === GONE ? null : deliveryFailure(result);
      await this.#writer.record({ ...claimOf(row), url: row.url, success, statusCode, failure });
    }
  }

  /** Reads what the attempt sends; undefined if that is not known in time for the attempt to begin. */
  async #body(row: ClaimedRow, requestedAt: number): Promise<Buffer | "gone" | undefined> {
    const late = Promise.withResolvers<undefined>();
    const leftMs = requestedAt + START_WINDOW_MS - performance.now();
    const timer = setTimeout(late.resolve, Math.max(0, leftMs), undefined);
    const read = bodyOf(this.#deps, row).then(
      (body) => body ?? "gone",
      (error: unknown) => {
        const { log, metrics } = this.#deps;
        if (!this.#isStopping) metrics.unread.inc();
        log.debug({ err: error, webhook_id: row.webhook_id }, "an event cannot be read");
        return undefined;
      },
    );
    const body = await Promise.race([read, late.promise]);
    clearTimeout(timer);
    if (row.body === null) this.#events.onRead(row.account_id, body !== undefined);
    return body;
  }

  async #attempt(
    row: ClaimedRow,
    requestedAt: number,
  ): Promise<AttemptResult | typeof UNREAD | typeof UNSIGNED> {
    const reading = this.#body(row, requestedAt);
    this.#reading.add(reading);
    const body = await reading;
    this.#reading.delete(reading);
    if (body === undefined) return this.#isStopping ? ABANDONED : UNREAD;
    // The chain has no such event: nothing can be sent, and the retries end.
    if (body === "gone") return GONE;
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
      return UNSIGNED;
    }
    const startedAt = performance.now();
    if (this.#isStopping || startedAt - requestedAt >= START_WINDOW_MS) return ABANDONED;
    metrics.lateness.observe(row.late_s);
    const { url, payload_id: payloadId } = row;
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

const ABANDONED: AttemptResult = { outcome: "abandoned", statusCode: null };
const GONE: AttemptResult = { outcome: "invalid_response", statusCode: null };
const UNREAD = { outcome: "unread", statusCode: null } as const;
const UNSIGNED = { outcome: "unsigned", statusCode: null } as const;

function claimOf(row: ClaimedRow): Claim {
  const { account_id: accountId, webhook_id: webhookId, number, fence } = row;
  return { accountId, webhookId, dueAt: row.due_at ?? row.was_due_at, number, fence };
}
