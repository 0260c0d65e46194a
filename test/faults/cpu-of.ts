// CPU time of the services and of PostgreSQL with all its backends, for the tests of what requests cost. It
// is NaN on systems other than Linux.

import type { Stack } from "@annals/local";
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

/** Of `work`, done so many times. What the services do in the background meanwhile is in it. */
export async function cpuOfEach(
  stack: Pick<Stack, "processes">,
  times: number,
  work: () => Promise<unknown>,
): Promise<Cpu> {
  const before = await cpuOf(stack);
  for (let n = 0; n < times; n += 1) await work();
  const after = await cpuOf(stack);
  return Object.fromEntries(
    MEASURED.map((name) => [name, (after[name] - before[name]) / times]),
  ) as Cpu;
}

export function sumOf(cpu: Cpu): number {
  return MEASURED.reduce((sum, name) => sum + cpu[name], 0);
}
