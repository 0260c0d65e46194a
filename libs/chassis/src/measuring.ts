// The loop of gauges whose value takes a query: measures on an interval, not at the scrape, so that scrapes
// neither wait for PostgreSQL nor load it. Called by the services' workers. It must never leave a value in
// place that can no longer be measured: a gauge is absent then.

import { type Loop, type LoopOptions, startLoop } from "./loop.ts";
import type { Gauge } from "./metrics.ts";

export interface MeasuringOptions extends Pick<
  LoopOptions,
  "name" | "log" | "failures" | "delayMs"
> {
  /** Each absent until it is measured, and from a failed measurement to the next one. */
  readonly gauges: readonly Gauge[];
  readonly measure: (signal: AbortSignal) => Promise<void>;
}

/** A measurement takes at most this part of the time, however large the tables are. */
const MAX_LOAD = 0.05;

export function startMeasuring({ gauges, measure, ...options }: MeasuringOptions): Loop {
  const forget = (): void => {
    for (const gauge of gauges) {
      gauge.reset();
      // Without labels `reset` leaves a 0.
      gauge.remove({});
    }
  };
  forget();
  return startLoop({
    ...options,
    run: async (signal) => {
      const begun = performance.now();
      try {
        await measure(signal);
      } catch (error) {
        forget();
        throw error;
      }
      return Math.max(options.delayMs, (performance.now() - begun) / MAX_LOAD);
    },
  });
}
