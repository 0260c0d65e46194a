// What is compared takes turns, so that a machine that is faster in one minute than in the next is so for
// all of it. What is compared with nothing is measured as often. Called by most measurements.

import type { Figures } from "../http-load.ts";

/** Each of `runs` once a turn, in the other order in every second turn. Gives the turns of each. */
export async function byTurns<Turn extends Figures>(
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

/** What `work` gave the last time, and the median of the seconds that it took. */
export async function timedTurns<T>(turns: number, work: () => Promise<T>) {
  const taken: { readonly value: T; readonly seconds: number }[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const begun = performance.now();
    const value = await work();
    taken.push({ value, seconds: (performance.now() - begun) / 1_000 });
  }
  return { value: taken.at(-1)?.value as T, seconds: median(taken.map(({ seconds }) => seconds)) };
}

/** Each figure's median over the turns. */
export function middle<Turn extends Figures>(turns: readonly Turn[]): Turn {
  const names = Object.keys(turns[0] ?? {}) as (keyof Turn)[];
  const medians = names.map((name) => [name, median(turns.map((turn) => Number(turn[name])))]);
  return Object.fromEntries(medians) as Turn;
}

/** The median of what a figure was in that of `whole` of the same turn. */
export function middleShare<Turn extends Figures>(
  name: keyof Turn,
  turns: readonly Turn[],
  whole: readonly Turn[],
): number {
  return median(turns.map((turn, at) => Number(turn[name]) / Number(whole[at]?.[name])));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
