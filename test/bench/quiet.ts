// Waits until other programs leave the CPUs to the benchmark. Called before each section, of a long
// chain once it is loaded. It never waits longer than the option says.

import { setTimeout as pause } from "node:timers/promises";
import { MAX_OTHERS_CPUS, withCost } from "./cpu.ts";
import type { Bench } from "./measure/bench.ts";

/** How long other programs must have been quiet. */
const QUIET_MS = 2_000;

export async function untilQuiet({ options, say }: Pick<Bench, "options" | "say">): Promise<void> {
  const deadline = performance.now() + options.waitMs;
  let isSaid = false;
  while (performance.now() < deadline) {
    // oxlint-disable-next-line no-await-in-loop -- it waits
    const { othersCpus } = await withCost([], async () => {
      await pause(QUIET_MS);
      return { events: 1 };
    });
    if (othersCpus <= MAX_OTHERS_CPUS) return;
    if (!isSaid) say(`waiting for other programs, which have ${othersCpus.toFixed(1)} CPUs`);
    isSaid = true;
  }
}
