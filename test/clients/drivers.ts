// The drivers of the SDKs, and how a test talks to one. A line in DRIVERS adds an SDK to all cases.

import { build } from "esbuild";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { hasPython310 } from "../system/programs.ts";

export type Command = readonly [string, ...string[]];

const PYTHON: Command = ["python3", join(import.meta.dirname, "python/driver.py")];
const TYPESCRIPT = join(import.meta.dirname, "typescript/driver.ts");

/** By language: the command that starts the driver. */
export const DRIVERS: Readonly<Record<string, Command>> = {
  ...(hasPython310 && { python: PYTHON }),
  typescript: [process.execPath, "-C", "source", TYPESCRIPT],
};

/** Bundles the driver of TypeScript into the folder, where it starts in a tenth of the time. */
export async function bundleDriver(folder: string): Promise<Command> {
  const file = join(folder, "driver.mjs");
  await build({
    entryPoints: [TYPESCRIPT],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["source"],
    tsconfigRaw: {},
  });
  return [process.execPath, file];
}

/** A response of a driver: the members depend on the command. */
export interface Answer {
  readonly tracked?: boolean;
  readonly valid?: boolean;
  readonly drops?: readonly object[];
  readonly warnings?: readonly object[];
  readonly problems?: readonly string[];
  readonly kept?: object | null;
  readonly error?: string;
}

export class Driver {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #id = 0;
  /** The fault that is switched on. */
  fault: string | undefined;

  constructor([file, ...options]: Command) {
    this.#process = spawn(file, options, { stdio: ["pipe", "pipe", "inherit"] });
    const { stdout } = this.#process;
    if (!stdout) throw new Error("the driver has no stdout");
    createInterface({ input: stdout }).on("line", (line) => {
      const { id, ...answer } = JSON.parse(line) as Answer & { id: number };
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  /** Sends a command. Resolves to its response, before which others can be sent. */
  async send(command: string, members: object = {}): Promise<Answer> {
    const id = (this.#id += 1);
    const answered = new Promise<Answer>((resolve) => void this.#waiting.set(id, resolve));
    this.#process.stdin?.write(`${JSON.stringify({ id, command, ...members })}\n`);
    const answer = await answered;
    if (answer.error !== undefined) throw new Error(`${command}: ${answer.error}`);
    return answer;
  }

  async track(...actions: readonly string[]): Promise<(boolean | undefined)[]> {
    const answers = actions.map((action) => this.send("track", { event: { action } }));
    return (await Promise.all(answers)).map(({ tracked }) => tracked);
  }

  /** Moves the clock while a command waits, such as `flush`. */
  async during(command: string, advanceMs: number, members: object = {}): Promise<void> {
    const done = this.send(command, members);
    await this.send("advance", { ms: advanceMs });
    await done;
  }

  /** Stops and continues the process, as a machine that sleeps does. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.kill(signal);
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exited;
  }
}
