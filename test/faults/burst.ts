// Many appends at the same time with a blow at a random moment among them. Called by the tests that kill.

import { setTimeout as pause } from "node:timers/promises";
import type { Load } from "./load.ts";
import type { Testbed } from "./testbed.ts";

/** What a burst takes when nothing happens to it: the span from which a moment for the blow is chosen. */
export async function usualBurstMs(
  { load }: Pick<Testbed, "load">,
  appends: number,
): Promise<number> {
  await load().burst(appends);
  const started = performance.now();
  await load().burst(appends);
  return Math.ceil(performance.now() - started);
}

/** Sends so many appends at once and does `blow` so many milliseconds later. */
export async function burstWith(
  { load }: Pick<Testbed, "load">,
  appends: number,
  atMs: number,
  blow: () => void,
): Promise<Load> {
  const burst = load();
  const answers = burst.burst(appends);
  await pause(atMs);
  blow();
  await answers;
  return burst;
}
