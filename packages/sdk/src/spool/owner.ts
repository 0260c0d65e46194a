// Who owns a folder of a spool, and whether that process is gone. Called by claims.ts and spool-tracker.ts.

import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";

/** A folder that its owner has not touched for this time may be claimed. */
const UNTOUCHED_MS = 60_000;

/** The file `owner.json`. */
export interface Owner {
  account: string | null;
  /** Digits of the SHA-256 of the API key: who has the key has the account. */
  key: string | null;
  readonly boot_id: string | null;
  readonly pid_namespace: string | null;
  readonly pid: number;
  readonly started: string | null;
}

/** Names sort by time. */
export function ownerName(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, "");
  return `${time}-${randomBytes(6).toString("hex")}`;
}

export function keyDigest(apiKey: string): string {
  return createHash("sha256").update(`annals spool ${apiKey}`).digest("hex").slice(0, 16);
}

/** This process as an owner. */
export function thisProcess(): Omit<Owner, "account" | "key"> {
  return {
    boot_id: read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pid_namespace: read(() => readlinkSync("/proc/self/ns/pid")),
    pid: process.pid,
    started: startOf(process.pid),
  };
}

/** Whether the owner is a dead process, or did not touch its folder for a minute. */
export function isGone(
  owner: Omit<Owner, "account" | "key">,
  touched: number,
  now: number,
): boolean {
  if (now - touched > UNTOUCHED_MS) return true;
  const here = thisProcess();
  const isHere = owner.boot_id !== null && owner.pid_namespace !== null;
  if (!isHere || owner.boot_id !== here.boot_id || owner.pid_namespace !== here.pid_namespace)
    return false;
  return startOf(owner.pid) !== owner.started;
}

/** When a process started, in ticks since the boot, so that a later process with its id is not it. */
function startOf(pid: number): string | null {
  return read(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie is dead.
    return state === "Z" || state === "X" ? null : (fields[18] ?? null);
  });
}

/** Null where the system has no such file. */
function read(file: () => string | null): string | null {
  try {
    return file();
  } catch {
    return null;
  }
}
