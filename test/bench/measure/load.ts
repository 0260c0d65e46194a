// Load on a stack, and what its events cost. Called by the measurements of appends.

import { type Cost, type Measured, withCost } from "../cpu.ts";
import { type Figures, httpLoad, type LoadJob } from "../http-load.ts";
import { settle } from "../settle.ts";

export interface Target {
  readonly databaseUrl: string;
  readonly processes: readonly Measured[];
}

export type Costed = Figures & Cost;

/** Figures in events. What earlier measurements left to PostgreSQL is done before it. */
export async function costedLoad(
  target: Target,
  job: LoadJob,
  eventsPerRequest = 1,
): Promise<Costed> {
  await settle(target.databaseUrl);
  return loadAtOnce(target, job, eventsPerRequest);
}

export function loadAtOnce(
  { processes }: Pick<Target, "processes">,
  job: LoadJob,
  eventsPerRequest = 1,
): Promise<Costed> {
  return withCost(processes, async () => {
    const figures = await httpLoad(job);
    const perSecond = figures.perSecond * eventsPerRequest;
    // CPU time covers the turn with its warm-up, so the events of both count.
    const events = perSecond * ((job.warmUpMs + job.measureMs) / 1_000);
    return { ...figures, perSecond, events };
  });
}
