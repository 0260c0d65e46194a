// Interleaved A/B: what is compared takes turns, so that a change in the machine's speed affects all
// of it the same. What has no baseline is measured as often. Called by most measurements.

import { type Cost, costText, type Measured, withCost } from "../cpu.ts";
import type { Figures } from "../http-load.ts";
import { median } from "../median.ts";

/**
 * Runs each of `runs` once per turn, in reverse order every second turn. Resolves to the turns of each.
 */
export async function interleaved<Runs extends readonly (() => Promise<Figures>)[]>(
  turns: number,
  runs: readonly [...Runs],
): Promise<{ [Run in keyof Runs]: Awaited<ReturnType<Runs[Run]>>[] }> {
  const taken: Figures[][] = runs.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    const places = [...runs.keys()];
    for (const at of turn % 2 === 0 ? places : places.toReversed()) {
      const figures = await runs[at]?.();
      if (figures) taken[at]?.push(figures);
    }
  }
  return taken as { [Run in keyof Runs]: Awaited<ReturnType<Runs[Run]>>[] };
}

/** The last result of `work`, its median duration in seconds, and what each of its events cost. */
export async function timedTurns<T>(
  turns: number,
  { events, processes }: { readonly events: number; readonly processes: readonly Measured[] },
  work: () => Promise<T>,
) {
  const taken: (Cost & { readonly value: T; readonly seconds: number })[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const measured = await withCost(processes, async () => {
      const begun = performance.now();
      const value = await work();
      return { events, value, seconds: (performance.now() - begun) / 1_000 };
    });
    taken.push(measured);
  }
  const seconds = median(taken.map((one) => one.seconds));
  return { value: taken.at(-1)?.value as T, seconds, cost: costText(taken) };
}

/** The median of each figure over the turns. */
export function medians(turns: readonly Figures[]): Figures {
  const of = (name: keyof Figures) => median(turns.map((turn) => turn[name]));
  return { perSecond: of("perSecond"), p50Ms: of("p50Ms"), p99Ms: of("p99Ms") };
}

/** The median of a figure's ratio to the baseline of the same turn. */
export function medianRatio<Turn extends Figures>(
  name: keyof Turn,
  turns: readonly Turn[],
  baseline: readonly Turn[],
): number {
  return median(turns.map((turn, at) => Number(turn[name]) / Number(baseline[at]?.[name])));
}
