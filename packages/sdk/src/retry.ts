// When a call is repeated, and after how long. Called by transport.ts and delivery.ts.

import { AnnalsError } from "./annals-error.ts";

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

/** Retried calls come back spread over this time after the Retry-After that they share. */
const SPREAD_MS = 1_000;

/** Whether the same request may succeed later. A plan's limit lasts for the month. */
export function isTemporary(error: unknown): boolean {
  return AnnalsError.is(
    error,
    "connection_error",
    "timeout_error",
    "server_error",
    "rate_limit_exceeded",
  );
}

/** The first status of responses that leave open whether the request had its effect. */
const UNKNOWN_FROM = 500;

/** Whether the request certainly had no effect: it was never written, or refused. */
export function isRefused(error: unknown): boolean {
  if (!AnnalsError.is(error)) return false;
  return error.isUnsent || (error.status !== undefined && error.status < UNKNOWN_FROM);
}

/**
 * Backoff with jitter, and never before Retry-After. `attempt` counts from 1, `random` is from 0 to 1.
 */
export function retryDelay(error: unknown, attempt: number, random: number): number {
  const backoff = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  const asked = AnnalsError.is(error) ? error.retryAfterMs : undefined;
  return asked === undefined ? backoff * (0.5 + random / 2) : asked + SPREAD_MS * random;
}
