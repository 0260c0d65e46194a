// Compares the clock of a process with that of the database, each second: a service with a database asks it
// (libs/postgres/src/database-clock.ts), a gateway asks keys. Called by serve.ts. Beyond the tolerance
// neither clock is known to be right: the process then appends and deletes nothing and is not ready
// (docs/adr/0072-clocks-are-compared.md).

import type { ComparedClock } from "@annals/contract";
import type { ReadinessCheck } from "./admin-server.ts";
import { type LoopOptions, startLoop } from "./loop.ts";
import { clockOffset, type Registry } from "./metrics.ts";
import type { Closers } from "./run.ts";

const INTERVAL_MS = 1_000;

export interface ClockWatchOptions extends Pick<LoopOptions, "failures" | "log"> {
  readonly closers: Closers;
  /** Begins and ends a comparison of the clock. */
  readonly compare: () => Promise<void>;
  readonly registry: Registry;
}

/** Resolves to the check for readiness, after the first comparison or its failure. */
export async function watchClock(
  clock: ComparedClock,
  { closers, compare, failures, log, registry }: ClockWatchOptions,
): Promise<ReadinessCheck> {
  clockOffset(registry, () => clock.offsetS());
  let isWrong = false;
  const run = async (): Promise<void> => {
    await compare();
    const fault = clock.fault();
    if (isWrong === (fault !== undefined)) return;
    isWrong = fault !== undefined;
    const fields = { offset_s: clock.offsetS() };
    if (isWrong) log.error(fields, "the clock is wrong: nothing is appended or deleted");
    else log.info(fields, "the clock is right again");
  };
  // What is asked may be away: the process starts all the same, and is not ready.
  await run().catch(() => undefined);
  const loop = startLoop({
    name: "clock",
    failures,
    log,
    delayMs: INTERVAL_MS,
    initialDelayMs: INTERVAL_MS,
    maxBackoffMs: INTERVAL_MS,
    run,
  });
  closers.add("clock", loop, () => loop.stop());
  return async () => clock.fault();
}
