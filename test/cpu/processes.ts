// The CPU time of this process and of all that it has started, from /proc: what it used itself, what its
// ended children used, and the same of each process below it that still runs. Off Linux, of this process
// alone.

import { readdirSync, readFileSync } from "node:fs";

/** Of Linux, for every program: sysconf(_SC_CLK_TCK). */
const TICKS_PER_S = 100;

/**
 * Fields of /proc/<pid>/stat after the name, which ends with the last parenthesis (proc(5), from field 3
 * on).
 */
const PARENT = 1;
const USER = 11;
const ENDED_CHILDREN_SYSTEM = 14;

interface Usage {
  readonly parent: number;
  readonly seconds: number;
}

/** Seconds of CPU, user and system. */
export function cpuOfTree(root = process.pid): number {
  const all = new Map<number, Usage>();
  for (const pid of processIds()) {
    const usage = usageOf(pid);
    if (usage) all.set(pid, usage);
  }
  if (!all.has(root)) return ownCpu();
  let sum = 0;
  for (const [pid, { seconds }] of all) if (isBelow(pid, root, all)) sum += seconds;
  return sum;
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Nothing if the process has ended. */
function usageOf(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(USER, ENDED_CHILDREN_SYSTEM + 1).map(Number);
    return {
      parent: Number(fields[PARENT]),
      seconds: ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_S,
    };
  } catch {
    return undefined;
  }
}

function isBelow(pid: number, root: number, all: ReadonlyMap<number, Usage>): boolean {
  for (let at = pid; at > 0; at = all.get(at)?.parent ?? 0) if (at === root) return true;
  return false;
}

function ownCpu(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1_000_000;
}
