// Ledgers in processes of their own, which do to one account all that ledgers do, and die by kill -9 when the
// test says so. Imported by tests only.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The step at which a process kills itself. */
export interface Death {
  /** The name of a statement, without its schema. */
  readonly statement: string;
  /** Before it is sent, while PostgreSQL runs it, or while PostgreSQL commits its transaction. */
  readonly when: "before" | "during" | "commit";
}

/** What a process does until it is told to rest. */
export interface Order {
  readonly databaseUrl: string;
  readonly accountId: string;
  /** What its clock shows. */
  readonly time: string;
  /** The retention of the account. */
  readonly days: number;
  /** Holds are placed on some of the events from the first to the last number. */
  readonly held: readonly [first: number, last: number];
  readonly death?: Death | undefined;
}

/** `rest`: it ends what it is doing, and answers. */
export type Said = Order | "rest";

const CHILD = fileURLToPath(new URL("./lifecycle-replica.ts", import.meta.url));

export class KilledReplica {
  #process: ChildProcess;

  constructor() {
    this.#process = start();
    onTestFinished(() => void this.#process.kill("SIGKILL"));
  }

  work(order: Order): void {
    this.#say(order);
  }

  /** Resolves when it has ended what it was doing. */
  async rest(): Promise<void> {
    const rests = once(this.#process, "message");
    this.#say("rest");
    await rests;
  }

  #say(said: Said): void {
    this.#process.send(said);
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Resolves when its process was killed, and another one has taken its place. */
  async replaced(): Promise<void> {
    if (this.#process.signalCode === null && this.#process.exitCode === null)
      await once(this.#process, "exit");
    if (this.#process.signalCode !== "SIGKILL")
      throw new Error(`a replica has ended with ${String(this.#process.exitCode)}`);
    this.#process = start();
  }
}

function start(): ChildProcess {
  return fork(CHILD, { execArgv: ["-C", "source"], serialization: "advanced" });
}
