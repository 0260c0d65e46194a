// Compares the clock of a process with that of the database: a service with a database asks it
// (libs/postgres/src/database-clock.ts), a gateway asks keys. Called by serve.ts. Beyond the tolerance
// neither clock is known to be right: the process then appends and deletes nothing and is not ready
// (docs/adr/0072-clocks-are-compared.md).

import type { ComparedClock } from "@annals/contract";
import type { ReadinessCheck } from "./admin-server.ts";
import type { LoopOptions } from "./loop.ts";
import { clockOffset, type Registry } from "./metrics.ts";
import { startResting } from "./resting-loop.ts";
import type { Closers } from "./run.ts";

/** While both agree. Who finds that they do not, as after a step or a suspended machine, ends it. */
const RIGHT_INTERVAL_MS = 5_000;
/** While they differ. */
const WRONG_INTERVAL_MS = 1_000;

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
  const run = async (): Promise<number> => {
    await compare();
    const wasWrong = isWrong;
    isWrong = clock.fault() !== undefined;
    const fields = { offset_s: clock.offsetS() };
    if (isWrong && !wasWrong)
      log.error(fields, "the clock is wrong: nothing is appended or deleted");
    if (wasWrong && !isWrong) log.info(fields, "the clock is right again");
    return isWrong ? WRONG_INTERVAL_MS : RIGHT_INTERVAL_MS;
  };
  // What is asked may be away: the process starts all the same, and is not ready.
  await run().catch(() => undefined);
  const loop = startResting({
    name: "clock",
    failures,
    log,
    delayMs: WRONG_INTERVAL_MS,
    initialDelayMs: WRONG_INTERVAL_MS,
    maxBackoffMs: WRONG_INTERVAL_MS,
    run,
  });
  clock.watch(() => loop.expectWork());
  closers.add("clock", loop, () => loop.stop());
  return async () => clock.fault();
}
