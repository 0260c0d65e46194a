// The longest turn of the event loop of a process: what one client's work may make all others wait for. It is
// measured in CPU time of the main thread, since a turn takes longer on a machine that others use, too.
// Started by the admin server of every process. A sample takes microseconds, and never keeps a process
// running.

import { Gauge, type Registry } from "./metrics.ts";

/** Between two samples. A turn that is shorter cannot be told from several. */
export const SAMPLE_MS = 20;
const LATE_MS = 2 * SAMPLE_MS;
const MICROS_PER_MS = 1_000;
const MS_PER_S = 1_000;

interface Moment {
  readonly elapsedMs: number;
  /** CPU time of the main thread. */
  readonly cpuMs: number;
}

/**
 * Sees how much CPU time passes between two samples. If a sample comes late, one turn took that time, but for
 * what other turns used in the {@link SAMPLE_MS} before: so the result is up to that much too long, and never
 * too short.
 */
export class LongestTurn {
  #before: Moment;
  #longestMs = 0;

  constructor(now: Moment) {
    this.#before = now;
  }

  get longestMs(): number {
    return this.#longestMs;
  }

  sample(now: Moment): void {
    const { cpuMs, elapsedMs } = this.#before;
    this.#before = now;
    if (now.elapsedMs - elapsedMs < LATE_MS) return;
    this.#longestMs = Math.max(this.#longestMs, now.cpuMs - cpuMs);
  }
}

/** Watches this process until the result is called, and has the metric in the registry. */
export function watchTurns(registry: Registry): () => void {
  const turns = new LongestTurn(momentOf());
  const timer = setInterval(() => turns.sample(momentOf()), SAMPLE_MS);
  timer.unref();
  registry.removeSingleMetric("annals_event_loop_longest_turn_cpu_seconds");
  const gauge: Gauge = new Gauge({
    name: "annals_event_loop_longest_turn_cpu_seconds",
    help: "CPU time of the longest turn of the event loop since the process began to serve.",
    registers: [registry],
    collect: () => gauge.set(turns.longestMs / MS_PER_S),
  });
  return () => clearInterval(timer);
}

function momentOf(): Moment {
  const { system, user } = process.threadCpuUsage();
  return { elapsedMs: performance.now(), cpuMs: (system + user) / MICROS_PER_MS };
}
