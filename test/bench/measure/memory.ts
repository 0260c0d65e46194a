// Reads the peak resident memory of each service process, after the load on the append path and again at the
// end of the run. Called by main.ts.

import type { StackProcess } from "@annals/local";
import { readFile } from "node:fs/promises";
import type { Section } from "./bench.ts";

export interface Memory {
  readonly service: string;
  readonly peakMb: number;
}

/** Empty where the system does not tell (it is not Linux). */
export async function readMemory(processes: readonly StackProcess[]): Promise<Memory[]> {
  const services = processes.filter(({ adminUrl }) => adminUrl !== undefined);
  const read = services.map(async (one): Promise<Memory[]> => {
    const status = await readFile(`/proc/${one.pid()}/status`, "utf8").catch(() => "");
    const kB = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    return kB === undefined ? [] : [{ service: one.service, peakMb: Number(kB) / 1024 }];
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
      "and at the end of the run.",
    heads: ["after appends", "end of run"],
    results: atTheEnd.map(({ service, peakMb }) => {
      const before = afterAppends.find((one) => one.service === service);
      return {
        what: service,
        figure: before ? `${before.peakMb.toFixed(0)} MB` : "",
        p50: `${peakMb.toFixed(0)} MB`,
      };
    }),
  };
}
