// Time for retries and for the buffer of track(). Tests give one that they control.

import { unref } from "./process-end.ts";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after this time, or as soon as the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

function systemClock(keep: (timer: unknown) => void): Clock {
  return {
    now: () => Date.now(),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const end = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        keep(timer);
        signal?.addEventListener("abort", end);
      }),
  };
}

/** Keeps the process while a call waits. */
export const SYSTEM_CLOCK = systemClock(() => {});

/** Lets the process end while track() waits. */
export const BACKGROUND_CLOCK = systemClock(unref);
