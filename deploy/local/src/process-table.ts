// Asks the operating system about a process that may not be a child: whether it runs, since when, its
// command line. Called by the data directory's lock and by the cleanup of orphans. It must never take a
// reused process id for the old process.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { errorCode } from "./outcomes.ts";

/**
 * Whether a process with this id runs. A zombie (dead, not yet collected by its parent) does not.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to another user.
    if (errorCode(error) !== "EPERM") return false;
  }
  return statFields(pid)?.[0] !== "Z";
}

/** Sends a signal; 0 only checks. False when the process has ended, which it may do at any moment. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false;
    throw error;
  }
}

/**
 * A text that differs between two processes that had the same id one after the other; undefined if
 * the process has ended.
 */
export function startIdentity(pid: number): string | undefined {
  // Field 22 of /proc/<pid>/stat is the start time in clock ticks since boot (proc(5)); ours begin
  // at field 3.
  const fields = statFields(pid);
  if (fields !== undefined) return fields[19];
  return ps("lstart=", "-p", String(pid));
}

/** The command line of a process, its words joined by spaces; empty when it is gone or a zombie. */
export function commandLine(pid: number): string {
  const words = procFile(pid, "cmdline");
  if (words !== undefined) return words.replaceAll("\0", " ").trim();
  return ps("command=", "-p", String(pid)) ?? "";
}

/** The ids of all processes. */
export function allProcesses(): number[] {
  const ids = existsSync("/proc/self")
    ? readdirSync("/proc")
    : (ps("pid=", "-A") ?? "").split("\n");
  return ids.map(Number).filter((id) => id > 0);
}

/** Whether the process was started with this variable; undefined if the system does not tell. */
export function hasVariable(pid: number, name: string, value: string): boolean | undefined {
  const variables = procFile(pid, "environ");
  return variables === undefined ? undefined : variables.split("\0").includes(`${name}=${value}`);
}

function statFields(pid: number): string[] | undefined {
  // The second field is the name in parentheses and may itself hold spaces and parentheses.
  const stat = procFile(pid, "stat");
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function procFile(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

function ps(column: string, ...which: readonly string[]): string | undefined {
  const result = spawnSync("ps", ["-o", column, ...which], { encoding: "utf8" });
  const text = result.stdout?.trim();
  return text ? text : undefined;
}
