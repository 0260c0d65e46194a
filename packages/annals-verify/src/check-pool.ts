// Checks records in several threads at once: an event's digests and hash say nothing of other
// events, so only the walk along the chain needs their order. Called by verify-file.ts.

import { Worker } from "node:worker_threads";
import {
  type Checked,
  type Checker,
  checkRecords,
  type Format,
  type Records,
} from "./check-records.ts";

const SOURCE = import.meta.url.endsWith(".ts");
const WORKER = new URL(SOURCE ? "./check-worker.ts" : "./check-worker.js", import.meta.url);

/** V8's default of 48 a thread would make it no faster, and take 40 MB more for lines of CSV. */
const YOUNG_GENERATION_MB = 8;

/** Checks of a thread under way at a time, so that it always has one. */
const CHECKS_OF_THREAD = 2;

export class CheckPool {
  readonly #threads: readonly Thread[];
  readonly #here: Checker;
  #next = 0;

  /** With no threads all is checked in this one, by `here`. */
  constructor(here: Checker, format: Format, threads: number) {
    this.#here = here;
    this.#threads = Array.from({ length: threads }, () => new Thread(format));
  }

  /** More checks than that under way at a time take memory and no less time. */
  get size(): number {
    return this.#threads.length * CHECKS_OF_THREAD;
  }

  /** Rejects where a thread fails, for whatever reason but a record at fault. */
  async check(records: Records): Promise<Checked> {
    const thread = this.#threads[this.#next];
    this.#next = (this.#next + 1) % Math.max(1, this.#threads.length);
    return thread ? thread.check(records) : checkRecords(this.#here, records);
  }

  /** What is not answered yet will not be. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

class Thread {
  readonly #worker: Worker;
  /** Answers come in the order of what was asked. */
  readonly #asked: PromiseWithResolvers<Checked>[] = [];
  #failure: unknown;

  constructor(format: Format) {
    this.#worker = new Worker(WORKER, {
      workerData: format,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      ...(SOURCE && { execArgv: ["-C", "source"] }),
    });
    this.#worker.on("message", (checked: Checked) => this.#asked.shift()?.resolve(checked));
    this.#worker.on("error", (error) => {
      this.#failure = error;
      for (const { reject } of this.#asked.splice(0)) reject(error);
    });
  }

  check(records: Records): Promise<Checked> {
    if (this.#failure !== undefined) throw this.#failure;
    const asked = Promise.withResolvers<Checked>();
    this.#asked.push(asked);
    this.#worker.postMessage(records);
    return asked.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
