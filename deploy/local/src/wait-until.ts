// Waiting for a condition with a deadline. Called wherever the stack waits for a process of its
// own. It must never wait without a bound.

import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 25;

/**
 * Asks `condition` again and again until it holds. Returns whether it held before `timeoutMs`
 * (milliseconds) were over.
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  for (const end = performance.now() + timeoutMs; ; await delay(POLL_MS)) {
    if (await condition()) return true;
    if (performance.now() >= end) return false;
  }
}
