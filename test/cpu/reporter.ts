// What a run of tests prints beside the default reporter: how far it is, and at its end how many passed,
// minutes, the CPU in units of work with the dearest files, and what was left out. It writes the CPU to
// node_modules/.cache/annals/cpu.json, where budget.ts finds it. Used by each vitest config that a tier runs.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type {
  Reporter,
  TestModule,
  TestRunEndReason,
  TestSpecification,
  Vitest,
} from "vitest/node";
import { cpuSecondsOf } from "../bench/cpu.ts";
import { median } from "../bench/median.ts";
import { NEEDS, type Need } from "../system/needs.ts";
import { Progress } from "./progress.ts";
import { measureUnit } from "./unit-of-work.ts";

export const CPU_FILE = "node_modules/.cache/annals/cpu.json";
const DEAREST = 10;
/** How often a unit is measured, since one costs more when the other core is busy, and a line is printed. */
const EVERY_MS = 30_000;

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
  readonly #progress = new Progress();
  #interval: NodeJS.Timeout | undefined;
  #root = "";

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
    this.#unitsS.push(measureUnit());
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#progress.begin(files);
    this.#interval = setInterval(() => {
      this.#unitsS.push(measureUnit());
      process.stdout.write(`${this.#progress.text()}\n`);
    }, EVERY_MS).unref();
  }

  onTestModuleStart(file: TestModule): void {
    this.#progress.started(file);
  }

  onTestModuleEnd(file: TestModule): void {
    this.#progress.ended(file);
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    _errors: unknown,
    reason: TestRunEndReason,
  ): Promise<void> {
    clearInterval(this.#interval);
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
    const states = modules.flatMap((one) =>
      Array.from(one.children.allTests(), (test) => test.result().state),
    );
    const passed = states.filter((state) => state === "passed").length;
    const skipped = states.filter((state) => state === "skipped").length;
    const minutes = (performance.now() - this.#started) / 60_000;
    const missing = new Set<Need>(modules.flatMap((one) => one.meta().leftOut ?? []));
    const leftOut = [...missing].map((need) => `left out for lack of ${need} (${NEEDS[need]})\n`);
    const dearest = files.slice(0, DEAREST).map((one) => `  ${one.units.toFixed(1)} ${one.file}`);
    process.stdout.write(
      `CPU in units of work (one is ${unitS.toFixed(2)} s here), the dearest files:\n` +
        `${dearest.join("\n")}\n` +
        `${leftOut.join("")}${passed} tests passed and ${skipped} were left out in ${minutes.toFixed(1)} minutes with ` +
        `${units.toFixed(0)} units of CPU. The rest: npm run test:outages, or every tier: npm run all\n`,
    );
  }
}
