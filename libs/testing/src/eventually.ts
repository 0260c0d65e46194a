// Waiting for a condition, in place of sleeping for a time.

import { setTimeout as pause } from "node:timers/promises";

const FIRST_INTERVAL_MS = 20;
/** What waits for long asks less often: each answer costs CPU that what it waits for could have. */
const MAX_INTERVAL_MS = 100;
const GROWTH = 1.05;
/** On a machine that is busy with much else. What a page promises has a bound of its own. */
const WITHIN_MS = 30_000;

/**
 * Resolves to the first answer of `probe` that is neither false nor undefined; fails after
 * `timeoutMs`, saying `what`.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | false | undefined> | T | false | undefined,
  timeoutMs = WITHIN_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  let intervalMs = FIRST_INTERVAL_MS;
  while (performance.now() < deadline) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    await pause(intervalMs);
    intervalMs = Math.min(intervalMs * GROWTH, MAX_INTERVAL_MS);
  }
  throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: last });
}
