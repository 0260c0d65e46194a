// How long a turn of a service's event loop took, by its own metrics. Called by flows that show that nothing
// a client sends stalls the service.

import type { StackProcess } from "@annals/local";
import { metricOf } from "../system/metric-of.ts";

/** The first time, code that is not compiled yet takes longer; a stall comes each time. */
const ATTEMPTS = 6;

const METRIC = "annals_event_loop_longest_turn_cpu_seconds{";
const MS_PER_S = 1_000;

/** CPU time in ms of the longest turn of `process` since the last call, up to 20 ms too long. */
export async function longestStall({ adminUrl }: Pick<StackProcess, "adminUrl">): Promise<number> {
  return (await metricOf(adminUrl, METRIC, 'since="scrape"')) * MS_PER_S;
}

/**
 * The stall in ms that `work` causes whenever it is done: the least of several attempts, fewer once one is
 * below `goal`.
 */
export async function stallOf(
  process: StackProcess,
  work: () => Promise<unknown>,
  goal: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= goal; attempt += 1) {
    await longestStall(process);
    await work();
    least = Math.min(least, await longestStall(process));
  }
  return least;
}
