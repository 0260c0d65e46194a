// Which processes descend from which: for the tests that kill all processes of a stack.
// Used by tests only.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { allProcesses } from "../process-table.ts";

/** The ids of a process and all of its descendants, the ancestors first. */
export function processTree(root: number): number[] {
  const parents = parentsByPid();
  const tree = [root];
  for (const pid of tree)
    tree.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child));
  return tree;
}

function parentsByPid(): Map<number, number> {
  const rows = existsSync("/proc/self/stat") ? procRows() : psRows();
  return new Map(rows.map(([pid = 0, parent = 0]) => [pid, parent]));
}

/**
 * Small systems have no `ps`. The parent is the fourth field, after a name that may hold spaces
 * (proc(5)).
 */
function procRows(): number[][] {
  return allProcesses().flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return [[pid, Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])]];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}

function psRows(): number[][] {
  const table = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).stdout;
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
}
