// The process of a program of others, such as a receiver of sinks, which a test ends by a signal and starts
// again with what it has. Called by built-collector.ts, recipe-collector.ts and syslog-daemon.ts.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

type Child = ChildProcessByStdio<null, null, Readable>;

export class ReceiverProcess {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #ready: (child: Child, output: () => string) => Promise<void>;
  readonly #env: Readonly<Record<string, string>>;
  #child: Child | undefined;
  #output = "";

  /**
   * `ready` resolves when the process receives, and need not notice that it has ended; `output` is what it
   * has written to its standard error. `env` is added to that of the test.
   */
  constructor(
    program: string,
    args: readonly string[],
    ready: (child: Child, output: () => string) => Promise<void>,
    env: Readonly<Record<string, string>> = {},
  ) {
    this.#program = program;
    this.#args = args;
    this.#ready = ready;
    this.#env = env;
  }

  /** What it has written to its standard error since it was started last. */
  get output(): string {
    return this.#output;
  }

  /** Rejects if it ends before it receives. */
  async start(): Promise<void> {
    const env = { ...process.env, ...this.#env };
    const child = spawn(this.#program, this.#args, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    this.#output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    const ended = once(child, "close").then(([code, signal]) => {
      throw new Error(`${this.#program} has ended (${code ?? signal}): ${this.#output}`);
    });
    await Promise.race([this.#ready(child, () => this.#output), ended]);
  }

  /** Stops it as it is: it receives nothing, and its connections stay. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** Resolves when it has ended. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }
}
