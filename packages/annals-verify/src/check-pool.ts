// Checks records in several worker threads. An event's digests and hash do not depend on other events, so
// only the walk along the chain needs their order. Called by verify-file.ts and evidence/verify-evidence.ts.

import { Worker } from "node:worker_threads";
import { availableParallelism } from "node:os";
import { END, type Format, type Records } from "./check-records.ts";
import { CHUNK_BYTES } from "./verify-source.ts";

/** What the records are: those of an export, or events of a bundle of evidence. */
export type RecordKind = Format | "evidence";

const SOURCE = import.meta.url.endsWith(".ts");
const WORKER = new URL(SOURCE ? "./check-worker.ts" : "./check-worker.js", import.meta.url);

/** V8's default of 48 MB a thread is not faster, and takes 40 MB more for CSV. */
const YOUNG_GENERATION_MB = 8;

/** Checks in flight per thread, so that it never waits for work. */
const CHECKS_PER_THREAD = 2;

/** Threads that check events: each takes about 40 MB. */
const MAX_THREADS = 4;

export class CheckPool<Checked> implements AsyncDisposable {
  readonly #threads: readonly Thread<Checked>[];
  readonly #here: (records: Records) => Checked;
  #next = 0;

  /** Starts threads for a file of `bytes`. `here` checks a small one sooner than a thread starts. */
  constructor(here: (records: Records) => Checked, kind: RecordKind, bytes: number) {
    const threads = bytes <= CHUNK_BYTES ? 0 : Math.min(availableParallelism(), MAX_THREADS);
    this.#here = here;
    this.#threads = Array.from({ length: threads }, () => new Thread(kind));
  }

  /** Checks in flight at one time; more take memory and save no time. */
  get size(): number {
    return this.#threads.length * CHECKS_PER_THREAD;
  }

  /** Rejects if a thread fails; an invalid record does not count as a failure. */
  async check(records: Records): Promise<Checked> {
    const thread = this.#threads[this.#next];
    this.#next = (this.#next + 1) % Math.max(1, this.#threads.length);
    return thread ? thread.check(records) : this.#here(records);
  }

  /** Resolves once every thread has ended, after its checks in flight. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

class Thread<Checked> {
  readonly #worker: Worker;
  readonly #ended: Promise<unknown>;
  /** Results arrive in the order of the requests. */
  readonly #asked: PromiseWithResolvers<Checked>[] = [];
  #failure: unknown;

  constructor(kind: RecordKind) {
    this.#worker = new Worker(WORKER, {
      workerData: kind,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      ...(SOURCE && { execArgv: ["-C", "source"] }),
    });
    this.#ended = new Promise((resolve) => this.#worker.once("exit", resolve));
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

  /** Lets the thread end by itself. `terminate()` stops it at any step, where V8 can abort the process. */
  async close(): Promise<void> {
    this.#worker.postMessage(END);
    await this.#ended;
  }
}
