// What a run of tests prints at its end beside the default reporter: how many passed, minutes, and the CPU in
// units of work with the dearest files. It writes the same to node_modules/.cache/annals/cpu.json, where
// budgets.ts finds it. Used by each vitest config that a tier runs.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import { cpuSecondsOf } from "../bench/cpu.ts";
import { median } from "../bench/median.ts";
import { NEEDS, type Need } from "../system/needs.ts";
import { measureUnit } from "./unit-of-work.ts";

export const CPU_FILE = "node_modules/.cache/annals/cpu.json";
const DEAREST = 10;
/** How often a unit is measured. Half of what a busy machine costs is that its cores are shared. */
const UNIT_EVERY_MS = 30_000;

export interface MeasuredFile {
  readonly file: string;
  readonly project: string;
  readonly units: number;
}

export interface MeasuredRun {
  /** The whole run: workers, the servers that all files share, and vitest itself. NaN off Linux. */
  readonly units: number;
  /** Seconds of CPU of one unit during this run. */
  readonly unitS: number;
  readonly files: readonly MeasuredFile[];
}

export default class CpuReporter implements Reporter {
  readonly #started = performance.now();
  readonly #unitsS: number[] = [];
  #measuring: NodeJS.Timeout | undefined;
  #root = "";

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
    const measure = () => void this.#unitsS.push(measureUnit());
    measure();
    this.#measuring = setInterval(measure, UNIT_EVERY_MS).unref();
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    _errors: unknown,
    reason: TestRunEndReason,
  ): Promise<void> {
    clearInterval(this.#measuring);
    this.#unitsS.push(measureUnit());
    const unitS = median(this.#unitsS);
    const files = modules
      .map((one) => ({
        file: relative(this.#root, one.moduleId),
        project: one.project.name,
        units: (one.meta().cpuS ?? 0) / unitS,
      }))
      .toSorted((a, b) => b.units - a.units);
    const run: MeasuredRun = { units: (await cpuSecondsOf(process.pid)) / unitS, unitS, files };
    const to = resolve(this.#root, CPU_FILE);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, JSON.stringify(run, null, 1));
    if (reason !== "interrupted") this.#print(run, modules);
  }

  #print({ files, unitS, units }: MeasuredRun, modules: readonly TestModule[]): void {
    let passed = 0;
    for (const one of modules)
      for (const test of one.children.allTests()) passed += test.ok() ? 1 : 0;
    const minutes = (performance.now() - this.#started) / 60_000;
    const missing = new Set<Need>(modules.flatMap((one) => one.meta().leftOut ?? []));
    const leftOut = [...missing].map((need) => `left out for lack of ${need} (${NEEDS[need]})\n`);
    const dearest = files.slice(0, DEAREST).map((one) => `  ${one.units.toFixed(1)} ${one.file}`);
    process.stdout.write(
      `CPU in units of work (one is ${unitS.toFixed(2)} s here), the dearest files:\n` +
        `${dearest.join("\n")}\n` +
        `${leftOut.join("")}${passed} tests passed in ${minutes.toFixed(1)} minutes with ` +
        `${units.toFixed(0)} units of CPU; npm run all runs every tier\n`,
    );
  }
}
