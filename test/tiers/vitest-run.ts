// Runs the tests of a tier with vitest and counts them. A file that fails is run again, alone: a busy machine
// then costs a minute and not the run. It must never pass a file that fails twice, nor more than a few files
// that failed once, nor a run in which a test was skipped.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { overBudgetNow } from "./budget.ts";
import { runProgram } from "./program.ts";
import type { Tally } from "./tally.ts";

/** An npm script with its arguments. */
export interface TestRun {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  /** Limits the run to these. */
  readonly files?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Whether its CPU is compared with test/budget.json. */
  readonly hasBudget?: boolean;
}

/** What the JSON report of vitest has, as far as it is read. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

interface Outcome {
  readonly report: Report | undefined;
  readonly isPassed: boolean;
  readonly output: string;
}

/** Matches what names the cause of a run that ended outside of a test. */
const CAUSES = /# Fatal error|FATAL ERROR|^Caused by:|^\w*Error:/mu;
const CAUSE_LINES = 12;

export async function runTests(run: TestRun, scratch: string, tally: Tally): Promise<void> {
  process.stdout.write(`== ${run.name}\n`);
  const first = await vitest(run, run.files ?? [], join(scratch, `${run.name}.json`));
  const { report } = first;
  if (!report) return tally.fail(`${run.name}, outside of a test`, causeOf(first.output));
  tally.passed += report.numPassedTests;
  const skipped = report.numPendingTests + report.numTodoTests;
  tally.check(`${run.name}: no test is skipped`, skipped === 0, `${skipped} were skipped`);
  if (run.hasBudget === true) checkBudget(run.name, tally);
  if (first.isPassed) return;
  const failed = report.testResults.filter(({ status }) => status === "failed");
  // An error outside of any test: no file is named, so none can be run again.
  if (failed.length === 0)
    return tally.fail(`${run.name}, outside of a test`, causeOf(first.output));
  const files = failed.map(({ name }) => relative(process.cwd(), name));
  if (!tally.mayRunAgain(files)) {
    tally.failed += Math.max(report.numFailedTests, files.length);
    for (const one of failed) tally.note(relative(process.cwd(), one.name), failuresOf(one));
    return;
  }
  for (const [at, file] of files.entries()) {
    const why = failed[at] ? failuresOf(failed[at]) : "";
    await runAgain(run, { file, why, to: join(scratch, `${run.name}-${at}.json`) }, tally);
  }
}

function checkBudget(name: string, tally: Tally): void {
  const over = overBudgetNow(name);
  tally.check(`${name}: CPU within test/budget.json`, over.length === 0, over.join("\n"));
}

async function runAgain(
  run: TestRun,
  { file, to, why }: { readonly file: string; readonly to: string; readonly why: string },
  tally: Tally,
): Promise<void> {
  process.stdout.write(`== ${run.name}: again, alone: ${file}\n`);
  const second = await vitest(run, [file], to);
  if (second.isPassed && (second.report?.numPassedTests ?? 0) > 0) {
    tally.passed += 1;
    tally.ranAgain(file, why);
  } else {
    tally.failed += Math.max(1, second.report?.numFailedTests ?? 1);
    const [again] = second.report?.testResults.map(failuresOf) ?? [];
    tally.note(`${file}, twice`, again ?? causeOf(second.output));
  }
}

async function vitest(
  { args, env = {}, script }: TestRun,
  files: readonly string[],
  to: string,
): Promise<Outcome> {
  const reporters = ["default", "./test/cpu/reporter.ts", "json"].map((one) => `--reporter=${one}`);
  const given = ["run", "--silent", script, "--", ...args, ...files];
  const outputs = [...reporters, `--outputFile.json=${to}`];
  const { code, output } = await runProgram("npm", [...given, ...outputs], { env });
  return { report: readReport(to), isPassed: code === 0, output };
}

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return undefined;
  }
}

function failuresOf({ assertionResults, message }: Report["testResults"][number]): string {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  const tests = failed.map((one) => `${one.fullName}\n${one.failureMessages.join("\n")}`);
  return [...(message === "" ? [] : [message]), ...tests].join("\n");
}

function causeOf(output: string): string {
  const from = output.search(CAUSES);
  return from < 0 ? "" : output.slice(from).split("\n", CAUSE_LINES).join("\n");
}
