// Keeps one process running: starts it, starts it again when it dies, stops it on request. Called by stack.ts
// for PostgreSQL, NATS and every service. It must never start a second process while the first still runs.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { OrphanGuard } from "./orphan-guard.ts";
import { waitUntil } from "./wait-until.ts";

/** A process that ends sooner than this died at its start. */
const QUICK_DEATH_MS = 5_000;
/** After the first two quick deaths the restart is immediate; then the pause doubles between these. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 1_000;
/** Quick deaths in a row after which waiting for readiness fails. */
const MAX_QUICK_DEATHS = 6;
/** A larger log is renamed at the next start of its process; one old log is kept. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const LOG_TAIL_LINES = 15;
const LOG_TAIL_BYTES = 8_192;
/** The exit code of a service whose settings are wrong: it says why, and another start changes nothing. */
export const WRONG_SETTINGS = 2;

export interface ProcessSpec {
  /** Such as `ledger-1`: the name of its pid and log files. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user that it runs as; the caller's own when absent. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** The signal, without SIG, that makes it drain and end. */
  readonly stopSignal: "TERM" | "INT";
  /**
   * The signal for one that does not end in time. PostgreSQL's is SIGQUIT: it recovers from its log
   * afterwards.
   */
  readonly lastSignal: "SIGKILL" | "SIGQUIT";
  /** Milliseconds between the two. */
  readonly stopGraceMs: number;
  readonly pidFile: string;
  readonly logFile: string;
  /** Runs before every start: removes what the previous process left, releases its ports. */
  readonly beforeStart: () => Promise<void>;
  /** Whether it serves now; `pid` is that of the running process. */
  readonly isReady: (pid: number) => Promise<boolean>;
}

export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #guard: OrphanGuard;
  readonly #log: (line: string) => void;
  #child: ChildProcess | undefined;
  #loop: Promise<void> | undefined;
  #ending: AbortController | undefined;
  #quickDeaths = 0;
  /** Bytes of the log file before the process that runs now. */
  #logStart = 0;
  /** What a process said that ended because its settings are wrong. */
  #refusal: string | undefined;

  constructor(spec: ProcessSpec, guard: OrphanGuard, log: (line: string) => void) {
    this.spec = spec;
    this.#guard = guard;
    this.#log = log;
  }

  /** The id of the running process; undefined between a death and the next start. */
  pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it and keeps it running from now on. Does nothing when that is so already. */
  start(): void {
    if (this.#loop !== undefined) return;
    this.#quickDeaths = 0;
    this.#refusal = undefined;
    this.#ending = new AbortController();
    this.#loop = this.#keepRunning(this.#ending.signal);
  }

  /**
   * Resolves when it serves. Throws with the end of its log after `timeoutMs` or when it keeps dying, and
   * with its own message when its settings are wrong.
   */
  async waitReady(timeoutMs: number): Promise<void> {
    let hasFailed = false;
    const isReady = await waitUntil(async () => {
      if (this.#refusal !== undefined) throw new Error(this.#refusal);
      hasFailed = this.#loop === undefined || this.#quickDeaths >= MAX_QUICK_DEATHS;
      const pid = this.pid();
      if (hasFailed) return true;
      return pid !== undefined && (await this.spec.isReady(pid)) && this.pid() === pid;
    }, timeoutMs);
    if (isReady && !hasFailed) {
      // It does start, so earlier kills do not count.
      this.#quickDeaths = 0;
      return;
    }
    const why = hasFailed
      ? "does not start"
      : `is not ready after ${Math.round(timeoutMs / 1_000)} s`;
    throw new Error(
      `${this.spec.name} ${why}; the end of ${this.spec.logFile}:\n${logTail(this.spec.logFile)}`,
    );
  }

  /** Sends a signal to the running process. False when none runs. */
  kill(signal: NodeJS.Signals): boolean {
    return this.#child?.kill(signal) ?? false;
  }

  /** Resolves when the process that runs now has ended; at once when none runs. */
  async exited(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && !hasEnded(child)) await once(child, "exit");
  }

  /**
   * Stops it permanently: the stop signal, then the last signal after the grace period, or at once with
   * `force`.
   */
  async stop(force = false): Promise<void> {
    const loop = this.#loop;
    if (loop === undefined) return;
    this.#ending?.abort();
    const child = this.#child;
    child?.kill(force ? this.spec.lastSignal : `SIG${this.spec.stopSignal}`);
    if (child !== undefined && !(await waitUntil(() => hasEnded(child), this.spec.stopGraceMs))) {
      this.#log(
        `${this.spec.name} did not end within ${this.spec.stopGraceMs} ms: ${this.spec.lastSignal}`,
      );
      child.kill(this.spec.lastSignal);
    }
    await loop;
    this.#loop = undefined;
    rmSync(this.spec.pidFile, { force: true });
  }

  /** Stops it as `stop` does and starts it again, with the same ports. */
  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  async #keepRunning(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      const startedAt = performance.now();
      const how = await this.#runOnce(ending).catch((error: Error) => error.message);
      if (ending.aborted) return;
      if (this.#refusal !== undefined) {
        this.#log(`${this.spec.name} ended (${how}): its settings are not valid`);
        return;
      }
      const isQuick = performance.now() - startedAt < QUICK_DEATH_MS;
      this.#quickDeaths = isQuick ? this.#quickDeaths + 1 : 0;
      this.#log(`${this.spec.name} ended (${how}); starting it again`);
      await delay(pauseMs(this.#quickDeaths), undefined, { signal: ending }).catch(() => {});
    }
  }

  async #runOnce(ending: AbortSignal): Promise<string> {
    await this.spec.beforeStart();
    if (ending.aborted) return "stopped";
    const child = this.#spawn();
    child.stdin?.on("error", () => {});
    const end = new Promise<string>((resolve) => {
      child.once("exit", (code, signal) => {
        if (code === WRONG_SETTINGS) this.#refusal = logFrom(this.spec.logFile, this.#logStart);
        resolve(signal ?? `exit code ${code}`);
      });
      // Without a process id it did not start, and no `exit` follows.
      child.on("error", (error) => child.pid ?? resolve(error.message));
    });
    if (child.pid === undefined) return end;
    const { pid } = child;
    this.#child = child;
    this.#guard.add(pid, this.spec.stopSignal);
    writeFileSync(this.spec.pidFile, `${pid}\n`);
    try {
      return await end;
    } finally {
      this.#child = undefined;
      this.#guard.remove(pid);
    }
  }

  #spawn(): ChildProcess {
    const { command, args, env, cwd, owner, logFile } = this.spec;
    moveLargeLog(logFile);
    this.#logStart = logSize(logFile);
    const log = openSync(logFile, "a", 0o640);
    try {
      // A session of its own: Ctrl-C in a terminal goes to the whole foreground group, and only the
      // stack may decide what stops when. The end of the pipe on stdin tells the process that the
      // stack has ended.
      const stdio = ["pipe" as const, log, log];
      return spawn(command, args, { cwd, env, stdio, detached: true, ...owner });
    } finally {
      closeSync(log);
    }
  }
}

/** The last lines of a log file, for an error message; a placeholder when there are none. */
export function logTail(file: string): string {
  try {
    const text = readFileSync(file).subarray(-LOG_TAIL_BYTES).toString("utf8").trimEnd();
    return text.split("\n").slice(-LOG_TAIL_LINES).join("\n");
  } catch {
    return "(nothing)";
  }
}

/** The bytes of a log file that is there, else 0. */
export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What a log file has after its first `size` bytes. */
export function logFrom(file: string, size: number): string {
  return readFileSync(file).subarray(size).toString("utf8").trim();
}

function pauseMs(quickDeaths: number): number {
  return quickDeaths <= 2 ? 0 : Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (quickDeaths - 3));
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function moveLargeLog(file: string): void {
  if (logSize(file) > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
}
