// The longest turn of the event loop of a process: what one client's work may make all others wait for. It is
// measured in CPU time of the main thread, since a turn takes longer on a machine that others use, too.
// Started by the admin server of every process. It must never wake a process, nor keep it running.

import { Gauge, type Registry } from "./metrics.ts";

/** Between two samples at least. A turn that is shorter cannot be told from several. */
export const SAMPLE_MS = 20;
const LATE_MS = 2 * SAMPLE_MS;
/** Turns between two samples beyond which a timer costs less than a look in each. */
const MANY_TURNS = 50;
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
  #latestMs = 0;

  constructor(now: Moment) {
    this.#before = now;
  }

  get longestMs(): number {
    return this.#longestMs;
  }

  /** The longest one since the last call. */
  takeLatestMs(): number {
    const latestMs = this.#latestMs;
    this.#latestMs = 0;
    return latestMs;
  }

  /** Milliseconds until the next sample. */
  dueInMs(elapsedMs: number): number {
    return this.#before.elapsedMs + SAMPLE_MS - elapsedMs;
  }

  sample(now: Moment): void {
    const before = this.#before;
    this.#before = now;
    if (now.elapsedMs - before.elapsedMs < LATE_MS) return;
    this.#latestMs = Math.max(this.#latestMs, now.cpuMs - before.cpuMs);
    this.#longestMs = Math.max(this.#longestMs, this.#latestMs);
  }
}

/** Watches this process until the result is called, and has the metric in the registry. */
export function watchTurns(registry: Registry): () => void {
  const turns = new LongestTurn({ elapsedMs: performance.now(), cpuMs: cpuMs() });
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let looks = 0;
  // In the next turn, whenever something else begins one.
  const lookLater = (): void => void (immediate = setImmediate(look).unref());
  const sample = (): void => {
    turns.sample({ elapsedMs: performance.now(), cpuMs: cpuMs() });
    lookLater();
  };
  const look = (): void => {
    const dueInMs = turns.dueInMs(performance.now());
    if (dueInMs <= 0) {
      looks = 0;
      sample();
    } else if (looks < MANY_TURNS) {
      looks += 1;
      lookLater();
    } else {
      // The process is busy, so that the timer wakes nobody, until no turn begins between two samples.
      timer = setTimeout(sample, dueInMs).unref();
    }
  };
  look();
  registry.removeSingleMetric("annals_event_loop_longest_turn_cpu_seconds");
  const gauge: Gauge<"since"> = new Gauge({
    name: "annals_event_loop_longest_turn_cpu_seconds",
    help: "CPU time of the longest turn of the event loop, since: start (the process began to serve), scrape (the previous one).",
    labelNames: ["since"],
    registers: [registry],
    collect: () => {
      gauge.set({ since: "start" }, turns.longestMs / MS_PER_S);
      gauge.set({ since: "scrape" }, turns.takeLatestMs() / MS_PER_S);
    },
  });
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

function cpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / MICROS_PER_MS;
}
