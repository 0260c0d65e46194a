// A loop for workers that rest while they have nothing to do, until their process announces work. Called by
// the services' workers. An announcement ends a rest and no other delay, so that under load runs stay as far
// apart as the worker says, however many announcements come.

import { type Loop, type LoopOptions, startLoop } from "./loop.ts";

/**
 * How long a worker rests that has found nothing to do. It then looks for what other processes have left, and
 * for what nothing announces.
 */
export const REST_MS = 15_000;

export interface RestingLoop extends Loop {
  /** Called when there may be work. */
  expectWork(): void;
}

/** A run rests if it resolves to more than `delayMs`, unless work was announced while it ran. */
export function startResting(options: LoopOptions): RestingLoop {
  const { delayMs, run } = options;
  let isAtRest = false;
  let isExpected = false;
  const loop = startLoop({
    ...options,
    run: async (signal) => {
      isAtRest = false;
      isExpected = false;
      const nextMs = (await run(signal)) ?? delayMs;
      isAtRest = nextMs > delayMs && !isExpected;
      return isAtRest ? nextMs : Math.min(nextMs, delayMs);
    },
  });
  return {
    ...loop,
    expectWork: () => {
      isExpected = true;
      if (isAtRest) loop.wake();
    },
  };
}
