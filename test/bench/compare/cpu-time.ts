// CPU time of a process and of all its descendants, from /proc. Called by checkout-stack.ts. It is NaN on
// systems other than Linux.

import { readdir, readFile } from "node:fs/promises";

/** Clock ticks a second, the same on every Linux that Node runs on. */
const TICKS_PER_S = 100;

/** Fields of /proc/<pid>/stat after the name in parentheses. */
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

export async function cpuSecondsOf(root: number): Promise<number> {
  const processes = await readAll();
  if (!processes.has(root)) return Number.NaN;
  let ticks = 0;
  const pending = [root];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    ticks += processes.get(pid)?.ticks ?? 0;
    for (const [child, { parent }] of processes) if (parent === pid) pending.push(child);
  }
  return ticks / TICKS_PER_S;
}

async function readAll(): Promise<Map<number, { parent: number; ticks: number }>> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const entry of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end between the list and the read.
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    if (stat !== "") processes.set(Number(entry), { parent: Number(fields[PARENT]), ticks });
  }
  return processes;
}
