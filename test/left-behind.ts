// Guarantees that a test file leaves its process as it found it, since the next file of its worker runs in
// it: timers are real, and the environment and the listeners of the process are as before. Runs around each
// test file.

import { deepStrictEqual, equal } from "node:assert";
import { afterAll, vi } from "vitest";

/** Events of the process whose listeners decide what becomes of it. */
const EVENTS = ["SIGTERM", "SIGINT", "SIGHUP", "uncaughtException"] as const;

function state(): Record<string, unknown> {
  const listeners = EVENTS.map((event) => [event, process.listenerCount(event)]);
  const { VITEST_POOL_ID: _, ...environment } = process.env;
  return { ...Object.fromEntries(listeners), environment };
}

const before = state();

afterAll(() => {
  equal(vi.isFakeTimers(), false, "the file has left its timers fake");
  deepStrictEqual(state(), before);
});
