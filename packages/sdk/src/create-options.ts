// Options of calls that create something: with an idempotency key a retry creates nothing twice. Those that
// store events always have one. Called by the files with the routes.

import type { CallOptions } from "./transport.ts";

export interface CreateOptions extends CallOptions {
  /** Events get a new key by default, which all retries of the call share. */
  readonly idempotencyKey?: string;
}

/**
 * What was created. Its secret is in the response of the request that created it alone: with an idempotency
 * key, the response may be that of a retry.
 */
export type Created<T, Secret extends keyof T, Options> = "idempotencyKey" extends keyof Options
  ? T
  : T & Required<Pick<T, Secret>>;

export function idempotent(options: CreateOptions = {}): CreateOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
}
