// Caches DNS answers for a moment, and shares the queries under way. Used by the address guard. The system
// resolver has only a few threads: without this, one slow name with many deliveries would delay all others.

import type { Resolve } from "./address-guard.ts";

const TTL_MS = 5_000;
const MAX_NAMES = 10_000;

interface Cached {
  readonly answer: ReturnType<Resolve>;
  /** On the monotonic clock, in milliseconds; undefined while the query is under way. */
  until: number | undefined;
}

export function sharedResolver(
  resolve: Resolve,
  now: () => number = () => performance.now(),
): Resolve {
  const cache = new Map<string, Cached>();
  return (hostname) => {
    const known = cache.get(hostname);
    if (known && (known.until === undefined || known.until > now())) return known.answer;
    cache.delete(hostname);
    const [oldest] = cache.keys();
    if (oldest !== undefined && cache.size >= MAX_NAMES) cache.delete(oldest);
    const one: Cached = { answer: resolve(hostname), until: undefined };
    cache.set(hostname, one);
    one.answer.then(
      () => (one.until = now() + TTL_MS),
      () => (one.until = now() + TTL_MS),
    );
    return one.answer;
  };
}
