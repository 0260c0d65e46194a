// The life of a process: start what serve.ts builds, wait for a signal, close in reverse. Called by every
// main.ts. A start that fails, an unhandled rejection and an uncaught exception are logged and end the
// process with status 1. It must never let one part that hangs keep the others from closing.

import { EXIT } from "@annals/cli";
import { ConfigError } from "./config.ts";
import type { Logger } from "./log.ts";
import { format } from "node:util";

/** What was opened, in order. It closes in reverse, one part after the other, each within a bound. */
export class Closers {
  readonly #open: {
    readonly name: string;
    readonly withinMs: number;
    readonly close: () => Promise<void> | void;
  }[] = [];
  readonly #workers: (() => Promise<void>)[] = [];
  readonly #stopping = new AbortController();

  /**
   * Aborted when the workers have been told to stop. Calls to other services end then, because nothing needs
   * their answers any longer.
   */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Registers `close` under `name` and returns `thing`, so that an opening reads as one line. */
  add<T>(
    name: string,
    thing: T,
    close: (thing: T) => Promise<void> | void,
    withinMs = CLOSE_TIMEOUT_MS,
  ): T {
    this.#open.push({ name, withinMs, close: () => close(thing) });
    return thing;
  }

  /**
   * Registers what works in the background. When the first of them closes, all are told to stop: none waits
   * for another one's end, and none takes the end of its calls for a failure.
   */
  addWorker(name: string, worker: { stop(): Promise<void> }): void {
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopped ??= worker.stop());
    this.#workers.push(stop);
    this.add(name, worker, () => {
      this.#stopWorkers();
      return stop();
    });
  }

  /**
   * Closes everything, last opened first. A part that fails or hangs does not keep the others from closing.
   */
  async closeAll(log: Logger): Promise<void> {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      const { name, withinMs, close } = next;
      await within(withinMs, close).catch((error: unknown) => {
        log.warn({ part: name, err: error }, "close failed");
      });
    }
  }

  /** Waits for none. The failure of one is logged when its turn to close comes. */
  #stopWorkers(): void {
    for (const stop of this.#workers) void stop().catch(() => {});
    this.#stopping.abort();
  }
}

/**
 * For each part that names no other time. The platform's own grace period (30 s by default) covers the few
 * parts that take long.
 */
const CLOSE_TIMEOUT_MS = 10_000;

export interface RunOptions {
  readonly log: Logger;
  /** Opens everything, and registers each part with `closers`. */
  readonly serve: (closers: Closers) => Promise<void>;
  /** Whether the process drains when its standard input ends: its parent is gone. */
  readonly exitWithStdin: boolean;
}

interface ServeModule<C> {
  /** Opens everything, and registers each part with `closers`. */
  serve(config: C, log: Logger, closers: Closers): Promise<void>;
}

/**
 * The `serve` of a program: runs what serve.ts builds. `load` imports that file, once it is needed: a command
 * needs none of it, and starts in three quarters of the time.
 */
export function serving<C>(
  load: () => Promise<ServeModule<C>>,
): (served: Omit<RunOptions, "serve"> & { readonly config: C }) => Promise<void> {
  return ({ config, exitWithStdin, log }) =>
    run({
      log,
      exitWithStdin,
      serve: async (closers) => (await load()).serve(config, log, closers),
    });
}

/**
 * Runs until SIGTERM or SIGINT (or the end of standard input), then drains and exits. A second
 * signal exits at once.
 */
export async function run({ log, serve, exitWithStdin }: RunOptions): Promise<void> {
  const closers = new Closers();
  const stopAsked = new Promise<string>((resolve) => {
    let asked = false;
    const ask = (reason: string): void => {
      if (asked) process.exit(EXIT.failure);
      asked = true;
      resolve(reason);
    };
    process.on("SIGTERM", ask);
    process.on("SIGINT", ask);
    if (exitWithStdin) process.stdin.on("end", () => resolve("end of standard input")).resume();
  });
  endOnUnhandledErrors(log);
  printToLog(log);
  try {
    await serve(closers);
    log.info("ready");
    log.info({ reason: await stopAsked }, "stopping");
  } catch (error) {
    if (isForOperator(error)) {
      await closers.closeAll(log);
      throw error;
    }
    log.error({ err: error }, "start failed");
    process.exitCode = EXIT.failure;
  }
  await closers.closeAll(log);
  process.exit();
}

/**
 * Such an error leaves the process in an unknown state, so it ends at once and does not drain: what it leaves
 * is recovered as after a crash. The log needs no flush, because each line is written synchronously.
 */
function endOnUnhandledErrors(log: Logger): void {
  const endWith = (message: string) => (error: unknown) => {
    log.error({ err: error }, message);
    process.exit(EXIT.failure);
  };
  process.on("unhandledRejection", endWith("unhandled rejection"));
  process.on("uncaughtException", endWith("uncaught exception"));
}

/** Node's warnings, and what a library would print on standard error: everything in the log is JSON. */
function printToLog(log: Logger): void {
  // Node's own listener prints them.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, "process warning"));
  const print = (...words: unknown[]): void =>
    log.warn({ text: format(...words) }, "library output");
  Object.assign(console, { error: print, warn: print });
}

/** Whether main.ts prints the error as one line that names the setting, in place of a stack in the log. */
function isForOperator(error: unknown): boolean {
  if (error instanceof ConfigError) return true;
  return error instanceof Error && "syscall" in error && error.syscall === "listen";
}

async function within(ms: number, work: () => Promise<void> | void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`did not close within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
