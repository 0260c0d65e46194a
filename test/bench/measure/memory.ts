// Reads the peak resident memory of each service process, after the load on the append path and again at the
// end of the run, and what of it the process shares with no other. Called by main.ts.

import type { StackProcess } from "@annals/local";
import { readFile } from "node:fs/promises";
import type { Section } from "./bench.ts";

const KB = 1_024;

export interface Memory {
  readonly service: string;
  readonly peakMb: number;
  /** Private to the process now: without the program of Node, which processes share. */
  readonly privateMb: number;
}

/** Empty where the system does not tell (it is not Linux). */
export async function readMemory(processes: readonly StackProcess[]): Promise<Memory[]> {
  const services = processes.filter(({ adminUrl }) => adminUrl !== undefined);
  const read = services.map(async (one): Promise<Memory[]> => {
    const status = await readFile(`/proc/${one.pid()}/status`, "utf8").catch(() => "");
    const kB = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    if (kB === undefined) return [];
    const rollup = await readFile(`/proc/${one.pid()}/smaps_rollup`, "utf8").catch(() => "");
    const shares = [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, some]) =>
      Number(some),
    );
    const privateKb = shares.reduce((sum, some) => sum + some, 0);
    return [{ service: one.service, peakMb: Number(kB) / KB, privateMb: privateKb / KB }];
  });
  return (await Promise.all(read)).flat();
}

export function memorySection(
  afterAppends: readonly Memory[],
  atTheEnd: readonly Memory[],
): Section {
  return {
    title: "Memory",
    about:
      "Peak resident memory of each service since its start: after the single events and batches above, " +
      "and at the end of the run. Beside it what is private to the process at the end.",
    heads: ["after appends", "end of run", "private"],
    results: atTheEnd.map(({ service, peakMb, privateMb }) => {
      const before = afterAppends.find((one) => one.service === service);
      return {
        what: service,
        figure: before ? `${before.peakMb.toFixed(0)} MB` : "",
        p50: `${peakMb.toFixed(0)} MB`,
        p99: `${privateMb.toFixed(0)} MB`,
      };
    }),
  };
}
