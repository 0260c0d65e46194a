// Waiting for a condition, in place of sleeping for a time.

import { setTimeout as pause } from "node:timers/promises";

const INTERVAL_MS = 20;

/**
 * Resolves to the first answer of `probe` that is neither false nor undefined; fails after
 * `timeoutMs`, saying `what`.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | false | undefined> | T | false | undefined,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    await pause(INTERVAL_MS);
  }
  throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: last });
}
