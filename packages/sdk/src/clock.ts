// Time for retries and for the buffer of track(). Tests give one that they control.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after this time, or as soon as the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
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
      signal?.addEventListener("abort", end);
    }),
};
