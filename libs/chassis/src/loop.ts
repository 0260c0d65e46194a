// The loop of every background worker: runs a piece of work, waits, runs it again, until it is stopped. Also
// the loop inside of such a run, over pieces of bounded size. Called by the services' workers. It must never
// run the same work twice at once, never end because a run failed, and never retry a failure faster than its
// backoff.

import type { Logger } from "./log.ts";
import type { Counter } from "./metrics.ts";

export interface LoopOptions {
  /** Label `worker` of the failure metric and field `worker` of the log line: snake_case. */
  readonly name: string;
  readonly log: Logger;
  readonly failures: Pick<Counter<"worker">, "inc">;
  /** Time from the end of a run to the beginning of the next. */
  readonly delayMs: number;
  /** Before the first run, which begins at once by default. */
  readonly initialDelayMs?: number;
  /** Upper bound of the backoff, if {@link MAX_BACKOFF_MS} is too late. */
  readonly maxBackoffMs?: number;
  /**
   * One run. It may resolve to a delay in milliseconds in place of `delayMs`: 0 begins the next run at once,
   * and Infinity waits for a wake.
   * It should end soon after `signal` is aborted; what it rejects with then is not a failure.
   */
  readonly run: (signal: AbortSignal) => Promise<number | void>;
  /** Returns a number from 0 to 1, for the jitter. */
  readonly random?: () => number;
}

export interface Loop {
  /**
   * Begins the next run now, or right after the run in progress: any number of calls make one run. A backoff
   * lasts to its end all the same, and the run follows it.
   */
  wake(): void;
  /** Begins no further run, aborts the signal of the run in progress, and resolves when that has ended. */
  stop(): Promise<void>;
}

/** After the first failed run; twice as long after each further one, and from half of it to all of it. */
export const FIRST_BACKOFF_MS = 250;
export const MAX_BACKOFF_MS = 5_000;

export function startLoop(options: LoopOptions): Loop {
  const { delayMs, failures, initialDelayMs = 0, log, name, run } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  // An alert on the increase sees the first failure only if the series exists before it.
  failures.inc({ worker: name }, 0);
  let isWoken = false;
  let failed = 0;
  let endWait = (): void => {};
  let endDelay = (): void => {};

  const wait = async (ms: number, isBackoff: boolean): Promise<void> => {
    if (signal.aborted || ms <= 0 || (isWoken && !isBackoff)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === Infinity ? undefined : setTimeout(resolve, ms);
    endWait = resolve;
    if (!isBackoff) endDelay = resolve;
    await promise;
    clearTimeout(timer);
  };
  const runOnce = async (): Promise<void> => {
    isWoken = false;
    try {
      const nextMs = (await run(signal)) ?? delayMs;
      failed = 0;
      await wait(nextMs, false);
    } catch (error) {
      if (signal.aborted) return;
      failures.inc({ worker: name });
      log.warn({ err: error, worker: name }, "background work failed");
      await wait(backoffMs(options, failed), true);
      failed += 1;
    }
  };
  const ended = (async () => {
    await wait(initialDelayMs, false);
    while (!signal.aborted) await runOnce();
  })();
  return {
    wake: () => {
      isWoken = true;
      endDelay();
    },
    stop: () => {
      stopping.abort();
      endWait();
      return ended;
    },
  };
}

/**
 * Runs `work` on one piece after another, until one was smaller than `size` or the signal is aborted. `work`
 * resolves to how much was in its piece.
 */
export async function inPieces(
  size: number,
  work: () => Promise<number>,
  signal?: AbortSignal,
): Promise<void> {
  let found = size;
  while (found >= size && signal?.aborted !== true) found = await work();
}

function backoffMs(options: LoopOptions, failedBefore: number): number {
  const { maxBackoffMs = MAX_BACKOFF_MS, random = Math.random } = options;
  const ms = Math.min(FIRST_BACKOFF_MS * 2 ** failedBefore, maxBackoffMs);
  return (ms / 2) * (1 + random());
}
