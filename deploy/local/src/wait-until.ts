// Waits for a condition with a deadline. Called wherever the stack waits for one of its processes. It must
// never wait without a bound.

import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 25;

/** Polls `condition` until it is true. Returns whether that was within `timeoutMs` milliseconds. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  for (const end = performance.now() + timeoutMs; ; await delay(POLL_MS)) {
    if (await condition()) return true;
    if (performance.now() >= end) return false;
  }
}
