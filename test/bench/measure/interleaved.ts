// Interleaved A/B: what is compared takes turns, so that a change in the machine's speed affects all
// of it the same. What has no baseline is measured as often. Called by most measurements.

import type { Figures } from "../http-load.ts";

/**
 * Runs each of `runs` once per turn, in reverse order every second turn. Resolves to the turns of each.
 */
export async function interleaved<Turn extends Figures>(
  turns: number,
  runs: readonly (() => Promise<Turn>)[],
): Promise<Turn[][]> {
  const taken: Turn[][] = runs.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    const places = [...runs.keys()];
    for (const at of turn % 2 === 0 ? places : places.toReversed()) {
      const figures = await runs[at]?.();
      if (figures) taken[at]?.push(figures);
    }
  }
  return taken;
}

/** The last result of `work`, and its median duration in seconds. */
export async function timedTurns<T>(turns: number, work: () => Promise<T>) {
  const taken: { readonly value: T; readonly seconds: number }[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const begun = performance.now();
    const value = await work();
    taken.push({ value, seconds: (performance.now() - begun) / 1_000 });
  }
  return { value: taken.at(-1)?.value as T, seconds: median(taken.map(({ seconds }) => seconds)) };
}

/** The median of each figure over the turns. */
export function medians<Turn extends Figures>(turns: readonly Turn[]): Turn {
  const names = Object.keys(turns[0] ?? {}) as (keyof Turn)[];
  const entries = names.map((name) => [name, median(turns.map((turn) => Number(turn[name])))]);
  return Object.fromEntries(entries) as Turn;
}

/** The median of a figure's ratio to the baseline of the same turn. */
export function medianRatio<Turn extends Figures>(
  name: keyof Turn,
  turns: readonly Turn[],
  baseline: readonly Turn[],
): number {
  return median(turns.map((turn, at) => Number(turn[name]) / Number(baseline[at]?.[name])));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
