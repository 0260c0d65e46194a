// Spares the system's resolver: names asked for at the same time are asked once, and an answer
// serves for a moment. The system resolves on a few threads only, so that without this one slow
// name with many deliveries would keep all waiting.

import type { Resolve } from "./address-guard.ts";

const KEEP_MS = 5_000;
const MAX_NAMES = 10_000;

interface Kept {
  readonly answer: ReturnType<Resolve>;
  /** On the monotonic clock, in milliseconds; undefined while the answer is awaited. */
  until: number | undefined;
}

export function sharedResolver(
  resolve: Resolve,
  now: () => number = () => performance.now(),
): Resolve {
  const kept = new Map<string, Kept>();
  return (hostname) => {
    const known = kept.get(hostname);
    if (known && (known.until === undefined || known.until > now())) return known.answer;
    kept.delete(hostname);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= MAX_NAMES) kept.delete(oldest);
    const one: Kept = { answer: resolve(hostname), until: undefined };
    kept.set(hostname, one);
    one.answer.then(
      () => (one.until = now() + KEEP_MS),
      () => (one.until = now() + KEEP_MS),
    );
    return one.answer;
  };
}
