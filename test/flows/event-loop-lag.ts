// How long a service's event loop was blocked, by its own metrics. Called by flows that show
// that nothing a client sends stalls the service.

import type { StackProcess } from "@annals/local";

/** The loop is looked at every 10 ms; what lies beyond is delay. */
const RESOLUTION_MS = 10;

/** A pause of the whole machine looks like a stall but does not come each time; a stall does. */
const ATTEMPTS = 6;

/** CPU time that shows how much of a CPU a process gets at the moment. */
const PROBE_CPU_MS = 20;

const METRIC = /^nodejs_eventloop_lag_max_seconds\{[^}]*\} (\S+)$/m;

/** The longest time in ms that the loop of `process` was blocked since the last call. */
export async function longestStall(process: StackProcess): Promise<number> {
  const response = await fetch(`${process.adminUrl}/metrics`);
  const seconds = Number(METRIC.exec(await response.text())?.[1]);
  if (Number.isNaN(seconds)) throw new Error("the metrics tell no longest delay of the event loop");
  return Math.max(0, seconds * 1000 - RESOLUTION_MS);
}

/**
 * The stall in ms that `work` causes whenever it is done: the least of several attempts, fewer once
 * one is below `goal`. Where processes wait for a CPU, the wait is taken out: it is the
 * machine's and not the work's.
 */
export async function stallOf(
  process: StackProcess,
  work: () => Promise<unknown>,
  goal: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= goal; attempt += 1) {
    await longestStall(process);
    await work();
    least = Math.min(least, (await longestStall(process)) / slowdown());
  }
  return least;
}

/**
 * How many times longer than its CPU time a computation takes just now: 1 on a machine with
 * a free CPU.
 */
function slowdown(): number {
  const started = performance.now();
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    const cpuMs = (user + system) / 1_000;
    if (cpuMs >= PROBE_CPU_MS) return Math.max(1, (performance.now() - started) / cpuMs);
  }
}
