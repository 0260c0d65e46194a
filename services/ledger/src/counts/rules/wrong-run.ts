// Compares the runs of times that a segment of the filter index has with those that its events give
// (0001_ledger.sql). Called by verification. It must never take what a count would not believe for wrong:
// where the runs say nothing, the events do.

import { CHUNK_SIZE } from "../../search/rules/chunk.ts";
import { timesOfRuns, UNKNOWN } from "./bars.ts";

export const UNITS = ["minutes", "quarters"] as const;

/** The runs of a fresh segment. */
export type Runs = Readonly<Record<(typeof UNITS)[number], Buffer>>;

/** Distances of events from the first one of their segment. Both ends are included. */
interface Places {
  readonly from: number;
  readonly to: number;
}

interface WrongRun {
  readonly place: number;
  readonly unit: (typeof UNITS)[number];
}

/** The first event that a count would put into a bar of another time. */
export function findWrongRun(stored: Runs, made: Runs, places: Places): WrongRun | undefined {
  const wrong = UNITS.map((unit) => ({
    place: firstWrong(stored[unit], made[unit], places),
    unit,
  })).filter(({ place }) => place !== Infinity);
  return wrong.toSorted((one, other) => one.place - other.place)[0];
}

/** Infinity: none. */
function firstWrong(stored: Buffer, made: Buffer, { from, to }: Places): number {
  if (stored.equals(made)) return Infinity;
  const [said, right] = [timesOfRuns(stored, CHUNK_SIZE), timesOfRuns(made, CHUNK_SIZE)];
  for (let place = from; place <= to; place += 1)
    if (said[place] !== UNKNOWN && said[place] !== right[place]) return place;
  return Infinity;
}
