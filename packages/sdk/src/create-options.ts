// Options of calls that store events: each has an idempotency key, so that a retry stores nothing twice.
// Called by annals.ts.

import type { CallOptions } from "./transport.ts";

export interface CreateOptions extends CallOptions {
  /** Defaults to a new key, which all retries of the call share. */
  readonly idempotencyKey?: string;
}

export function idempotent(options: CreateOptions = {}): CreateOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
}
