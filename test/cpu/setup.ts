// Measures the CPU of each test file: of its worker, with what the file started. Runs before each test file
// of every project; the reporter beside it adds up. What servers of the whole run do for a file is not in
// it.

import { afterAll, TestRunner } from "vitest";
import { cpuSecondsOf } from "../bench/cpu.ts";
import { leftOut, type Need } from "../system/needs.ts";

declare module "vitest" {
  export interface TaskMeta {
    /** Seconds of CPU of a file. */
    cpuS?: number;
    /** What its worker has left out so far. */
    leftOut?: readonly Need[];
  }
}

/** The first file of a worker also pays for the start of the worker. */
const worker = globalThis as { annalsCpuCounted?: number };
const before = worker.annalsCpuCounted ?? 0;

const { file } = TestRunner.getCurrentSuite();

afterAll(async () => {
  const now = await cpuSecondsOf(process.pid);
  worker.annalsCpuCounted = now;
  if (!file) return;
  file.meta.cpuS = Math.max(0, now - before);
  file.meta.leftOut = leftOut();
});
