// Sends one batch until it has an outcome: attempts under one idempotency key, backoff, warnings without
// progress. Called by tracker.ts and by spools. It must never send a batch again under another key, and
// never after the service may have forgotten its key.

import { AnnalsError } from "./annals-error.ts";
import type { Batch, Drop, Outcome, Sending } from "./batch.ts";
import type { Clock } from "./clock.ts";
import { isRefused, retryDelay } from "./retry.ts";
import { tell } from "./tell.ts";
import { logDrop, logStall, type TrackingOptions } from "./tracking-options.ts";

/** An hour less than the least time for which a service keeps a key after it has stored its request. */
const KEY_LIFETIME_MS = 23 * 60 * 60 * 1_000;

/** The first warning comes after this time without progress, the others after the time below. */
const STALLED_MS = 10_000;
const WARN_AGAIN_MS = 60_000;

export interface DeliveryDeps {
  /** Stores a batch, in one attempt. */
  readonly send: (body: string, idempotencyKey: string, signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
  readonly random: () => number;
}

export class Delivery implements Sending {
  readonly #deps: DeliveryDeps;
  readonly #options: TrackingOptions;
  readonly #signal: AbortSignal;
  readonly #waiting: () => number;
  #warnAt = 0;

  /** `waiting` counts the events that are neither stored nor dropped. */
  constructor(
    deps: DeliveryDeps,
    options: TrackingOptions,
    signal: AbortSignal,
    waiting: () => number,
  ) {
    this.#deps = deps;
    this.#options = options;
    this.#signal = signal;
    this.#waiting = waiting;
  }

  progress(): void {
    this.#warnAt = this.#deps.clock.now() + STALLED_MS;
  }

  async deliver({ key, texts, isPatient = false, ...batch }: Batch): Promise<Outcome> {
    const { clock, random, send } = this.#deps;
    const body = bodyOf(texts);
    let { unknownSince } = batch;
    let error: unknown;
    for (let attempt = 1; !this.#signal.aborted; attempt += 1) {
      const began = clock.now();
      if (isOver(began, unknownSince)) return { kind: "unconfirmed", error, isOver: true };
      if (unknownSince === undefined) await batch.onFirst?.(began);
      try {
        await send(body, key, this.#signal);
        return { kind: "stored" };
      } catch (failure) {
        error = failure;
      }
      if (!isRefused(error)) unknownSince ??= began;
      if (AnnalsError.is(error, "validation_error"))
        return { kind: "refused", error, faulty: faultyIn(error) };
      if (unknownSince === undefined) await batch.onRefused?.();
      const delayMs = retryDelay(error, attempt, random());
      const isQuota = AnnalsError.is(error, "plan_limit_exceeded") && delayMs > KEY_LIFETIME_MS;
      if (isQuota && unknownSince === undefined && !isPatient) return { kind: "quota", error };
      if (isOver(clock.now() + delayMs, unknownSince))
        return { kind: "unconfirmed", error, isOver: true };
      await this.#waitToRetry(delayMs, error, attempt);
    }
    if (unknownSince === undefined) return { kind: "closed", error };
    return { kind: "unconfirmed", error, isOver: false };
  }

  async repeat<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    for (let attempt = 1; !this.#signal.aborted; attempt += 1) {
      try {
        return await call(this.#signal);
      } catch (error) {
        const delayMs = retryDelay(error, attempt, this.#deps.random());
        await this.#waitToRetry(delayMs, error, attempt);
      }
    }
    return undefined;
  }

  report(drop: Drop): void {
    const { onDrop = logDrop } = this.#options;
    tell(() => onDrop(drop));
  }

  /** Warns on the way if there is no progress, so that a wrong key or address does not stay unnoticed. */
  async #waitToRetry(delayMs: number, error: unknown, attempt: number): Promise<void> {
    const { clock } = this.#deps;
    if (this.#signal.aborted) return;
    tell(() => this.#options.onRetry?.({ error, attempt, delayMs }));
    const until = clock.now() + delayMs;
    for (let now = clock.now(); now < until && !this.#signal.aborted; now = clock.now()) {
      if (now >= this.#warnAt) {
        this.#warnAt = now + WARN_AGAIN_MS;
        this.#warn(error);
      }
      await clock.wait(Math.min(until, this.#warnAt) - now, this.#signal);
    }
  }

  #warn(error: unknown): void {
    const { onStall = logStall } = this.#options;
    const known = AnnalsError.is(error) ? error : undefined;
    const waiting = this.#waiting();
    tell(() => onStall({ type: known?.type, status: known?.status, waiting }));
  }
}

/** Joins events, each as JSON, into the body of a request: the same texts make the same bytes. */
export function bodyOf(texts: readonly string[]): string {
  return `{"events":[${texts.join(",")}]}`;
}

function isOver(now: number, unknownSince = Infinity): boolean {
  return now - unknownSince > KEY_LIFETIME_MS;
}

function faultyIn({ details }: AnnalsError): ReadonlySet<number> {
  const named = details.map(({ field }) => /^events\[(\d+)\]/.exec(field)?.[1]);
  return new Set(named.flatMap((index) => (index === undefined ? [] : [Number(index)])));
}
