// CPU time from /proc: of the services of a stack and of its PostgreSQL, and of all other programs on the
// machine. Called by the measurements, and by the tests of what requests cost. It is NaN on systems other
// than Linux.

import { readdir, readFile } from "node:fs/promises";
import { median } from "./median.ts";

/** Clock ticks a second, the same on every Linux that Node runs on. */
const TICKS_PER_S = 100;

/** Fields of /proc/<pid>/stat after the name in parentheses. */
const PARENT = 1;
/** User and system time of a process, and of its children that have ended. */
const TICKS = [11, 12, 13, 14];
const NANOS_PER_S = 1e9;
/** Fields of the first line of /proc/stat that are work: all but idle and iowait. */
const BUSY = [1, 2, 3, 6, 7, 8];

/** A process of a stack, as the stack lists it. */
export interface Measured {
  readonly service: string;
  pid(): number | undefined;
}

/** What the events of a measurement cost. */
export interface Cost {
  /** CPU time of all processes of the stack for an event. */
  readonly cpuUs: number;
  /** The same of each service. */
  readonly servicesUs: Readonly<Record<string, number>>;
  /** How many CPUs other programs had meanwhile. */
  readonly othersCpus: number;
}

/** Other programs have had more of the CPUs than leaves a figure as it is on a quiet machine. */
export const MAX_OTHERS_CPUS = 0.5;

/** CPU time of a process and its descendants, in seconds. */
type SecondsOf = (all: ReadonlyMap<number, Process>, root: number) => number | Promise<number>;

/** CPU time to the nanosecond, for short work. Threads and processes that have ended are left out. */
export const preciseSeconds: SecondsOf = async (all, root) => {
  const seconds = await Promise.all(descendants(all, root).map(threadSeconds));
  return seconds.reduce((sum, some) => sum + some, 0);
};

async function threadSeconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const nanos = await Promise.all(
    threads.map(async (thread) => {
      const path = `/proc/${pid}/task/${thread}/schedstat`;
      return Number((await readFile(path, "utf8").catch(() => "0")).split(" ")[0]);
    }),
  );
  return nanos.reduce((sum, some) => sum + some, 0) / NANOS_PER_S;
}

/** Does the work, whose result tells how many events it made. */
export async function withCost<T extends { readonly events: number }>(
  processes: readonly Measured[],
  work: () => Promise<T>,
  secondsOf: SecondsOf = treeSeconds,
): Promise<Omit<T, "events"> & Cost> {
  const [before, begun] = [await read(processes, secondsOf), performance.now()];
  const { events, ...figures } = await work();
  const [after, seconds] = [await read(processes, secondsOf), (performance.now() - begun) / 1_000];
  const used = (service: string) => (after.of.get(service) ?? 0) - (before.of.get(service) ?? 0);
  const services = [...after.of.keys()].map((name) => [name, (used(name) / events) * 1e6] as const);
  return {
    ...figures,
    cpuUs: services.reduce((sum, [, us]) => sum + us, 0),
    servicesUs: Object.fromEntries(services),
    othersCpus: Math.max(0, (after.others - before.others) / seconds),
  };
}

/** `95 µs: gateway 26, ledger 22, …`, the dearest first. */
export function costText(turns: readonly Cost[]): string {
  const names = Object.keys(turns[0]?.servicesUs ?? {});
  const costs = names
    .map((name) => [name, median(turns.map(({ servicesUs }) => servicesUs[name] ?? 0))] as const)
    .filter(([, us]) => us >= 0.5)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, us]) => `${name} ${us.toFixed(0)}`);
  return `${median(turns.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs: ${costs.join(", ")}`;
}

/** Marks a row that was measured while other programs had much of the CPUs. */
export function marked(what: string, turns: readonly Cost[]): string {
  const others = Math.max(...turns.map(({ othersCpus }) => othersCpus));
  return others > MAX_OTHERS_CPUS ? `${what} (busy: ${others.toFixed(1)} CPUs)` : what;
}

/** The CPU time of a process and all its descendants, since each began. */
export async function cpuSecondsOf(root: number): Promise<number> {
  return treeSeconds(await readAll(), root);
}

/** The processes of the stack that `root` has started, by their command lines. */
export async function stackOf(root: number): Promise<Measured[]> {
  const processes = await readAll();
  const found = descendants(processes, root).map(async (pid): Promise<Measured[]> => {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const service = (SERVICE.exec(line) ?? SERVER.exec(line))?.[1];
    return service === undefined ? [] : [{ service, pid: () => pid }];
  });
  return (await Promise.all(found)).flat();
}

const SERVICE = /services\/([\w-]+)\/src\/main\.ts/;
/** Not the backends of PostgreSQL, which are its descendants. */
const SERVER = /\/(postgres|nats)(?:-server)?\0/;

interface Process {
  readonly parent: number;
  readonly ticks: number;
}

async function read(processes: readonly Measured[], secondsOf: SecondsOf) {
  const all = await readAll();
  const of = new Map<string, number>();
  for (const one of processes) {
    const seconds = await secondsOf(all, one.pid() ?? 0);
    of.set(one.service, (of.get(one.service) ?? 0) + seconds);
  }
  const [line = ""] = (await readFile("/proc/stat", "utf8").catch(() => "")).split("\n");
  const fields = line.split(/ +/);
  const busy = BUSY.reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS_PER_S;
  return { of, others: busy - treeSeconds(all, process.pid) };
}

function treeSeconds(all: ReadonlyMap<number, Process>, root: number): number {
  if (!all.has(root)) return Number.NaN;
  const ticks = descendants(all, root).reduce((sum, pid) => sum + (all.get(pid)?.ticks ?? 0), 0);
  return ticks / TICKS_PER_S;
}

/** The process itself first. */
function descendants(all: ReadonlyMap<number, Process>, root: number): number[] {
  const found = [root];
  for (const pid of found)
    for (const [child, { parent }] of all) if (parent === pid) found.push(child);
  return found;
}

async function readAll(): Promise<Map<number, Process>> {
  const processes = new Map<number, Process>();
  for (const entry of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end between the list and the read.
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    if (stat === "") continue;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = TICKS.reduce((sum, at) => sum + Number(fields[at]), 0);
    processes.set(Number(entry), { parent: Number(fields[PARENT]), ticks });
  }
  return processes;
}
