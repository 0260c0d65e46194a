// Resolves the names of receivers, with a share of the look-ups for each account. Used by the address guard.
// So names without a response do not delay other accounts. A result is cached for a moment, per account.
// It must never make a delivery wait for a look-up that is about to fail.

import { Slots, type SlotsOptions } from "@annals/contract";
import type { Resolve } from "./address-guard.ts";
import { hasNoAddress, type LookUp, timedOut } from "./look-up.ts";

export interface AccountResolverOptions {
  readonly lookUp: LookUp;
  /** Timeout of an attempt. */
  readonly timeoutMs: number;
  readonly slots?: SlotsOptions;
  /** Returns the time on the monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Maximum look-ups in flight in this process. */
const SLOTS: SlotsOptions = { total: 256, perAccount: 16 };
/** Maximum time of a look-up, with the wait for its slot: it leaves an attempt the other half of its time. */
const MAX_TIMEOUT_MS = 5_000;
const TTL_MS = 5_000;
/** Time within which deliveries join a look-up that has begun. Later ones make their own. */
const JOIN_MS = 1_000;
const MAX_NAMES = 10_000;

interface Cached {
  readonly answer: ReturnType<Resolve>;
  until: number;
}

export function accountResolver({
  lookUp,
  timeoutMs,
  slots: options = SLOTS,
  now = () => performance.now(),
}: AccountResolverOptions): Resolve {
  const cache = new Map<string, Cached>();
  const slots = new Slots(options);
  const ask: Resolve = async (hostname, accountId) => {
    const allowedMs = Math.min(timeoutMs, MAX_TIMEOUT_MS);
    const until = performance.now() + allowedMs;
    const late = () => timedOut(hostname);
    return slots.runWithin(accountId, allowedMs, late, async () => {
      if (performance.now() >= until) throw late();
      return lookUp(hostname, accountId, until);
    });
  };
  return (hostname, accountId) => {
    const key = `${accountId} ${hostname}`;
    const known = cache.get(key);
    if (known && known.until > now()) return known.answer;
    cache.delete(key);
    const [oldest] = cache.keys();
    if (oldest !== undefined && cache.size >= MAX_NAMES) cache.delete(oldest);
    const one: Cached = { answer: ask(hostname, accountId), until: now() + JOIN_MS };
    cache.set(key, one);
    one.answer.then(
      () => (one.until = now() + TTL_MS),
      (error: unknown) => (one.until = hasNoAddress(error) ? now() + TTL_MS : 0),
    );
    return one.answer;
  };
}
