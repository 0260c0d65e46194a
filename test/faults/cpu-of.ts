// CPU time of the services and of PostgreSQL with all its backends, for the tests of what requests cost. It
// is NaN on systems other than Linux.

import type { Stack } from "@annals/local";
import { setTimeout as pause } from "node:timers/promises";
import { cpuSecondsOf } from "../bench/cpu.ts";

export const MEASURED = [
  "gateway",
  "keys",
  "ledger",
  "webhook-dispatcher",
  "export",
  "postgres",
] as const;

export type Cpu = Readonly<Record<(typeof MEASURED)[number], number>>;

/** Long enough for what the services do each second. */
const IDLE_MS = 5_000;

/** In milliseconds, since each process began. */
async function cpuOf({ processes }: Pick<Stack, "processes">): Promise<Cpu> {
  const all = await Promise.all(
    MEASURED.map(async (name) => {
      const pids = processes.flatMap((one) => (one.service === name ? [one.pid() ?? 0] : []));
      const seconds = await Promise.all(pids.map(cpuSecondsOf));
      return [name, seconds.reduce((sum, one) => sum + one, 0) * 1_000] as const;
    }),
  );
  return Object.fromEntries(all) as Cpu;
}

const NOTHING = Object.fromEntries(MEASURED.map((name) => [name, 0])) as Cpu;

/**
 * Measures `work`, done so many times. What the services do in the background meanwhile is in it, except
 * `idle` for each millisecond: on a busy machine a request waits long, and the background goes on.
 */
export async function cpuOfEach(
  stack: Pick<Stack, "processes">,
  times: number,
  work: () => Promise<unknown>,
  idle = NOTHING,
): Promise<Cpu> {
  const begunAt = performance.now();
  const before = await cpuOf(stack);
  for (let n = 0; n < times; n += 1) await work();
  const after = await cpuOf(stack);
  const ms = performance.now() - begunAt;
  return Object.fromEntries(
    MEASURED.map((name) => {
      const used = after[name] - before[name] - idle[name] * ms;
      return [name, Math.max(0, used) / times];
    }),
  ) as Cpu;
}

/** What the services use while they have no request, for each millisecond. */
export async function idleCpuOf(stack: Pick<Stack, "processes">): Promise<Cpu> {
  const begunAt = performance.now();
  const used = await cpuOfEach(stack, 1, () => pause(IDLE_MS));
  const ms = performance.now() - begunAt;
  return Object.fromEntries(MEASURED.map((name) => [name, used[name] / ms])) as Cpu;
}

export function sumOf(cpu: Cpu): number {
  return MEASURED.reduce((sum, name) => sum + cpu[name], 0);
}
