// The loop of a worker that follows the appends: it rests until a chain is ready, and then runs at once. A
// chain that becomes ready ends the rest and no other delay, so that under load runs are as far apart as the
// worker says. Called by start-workers.ts.

import { type Loop, type LoopOptions, startLoop } from "@annals/chassis";
import { type GrownChains, REST_MS, type Work } from "./grown-chains.ts";

export function startFollowing(grown: GrownChains, work: Work, options: LoopOptions): Loop {
  let isAtRest = false;
  const loop = startLoop({
    ...options,
    run: async (signal) => {
      isAtRest = false;
      const nextMs = (await options.run(signal)) ?? options.delayMs;
      // A chain may have become ready since the run took the others.
      isAtRest = nextMs === REST_MS && !grown.has(work);
      return isAtRest ? nextMs : Math.min(nextMs, options.delayMs);
    },
  });
  grown.onReady(work, () => {
    if (isAtRest) loop.wake();
  });
  return loop;
}
