// Compares the CPU that a tier has used with test/budget.json, in units of work. A tier has a budget, and so has
// each file above what most files stay below. Wall time fails nothing.

import { readFileSync } from "node:fs";
import { CPU_FILE, type MeasuredRun } from "../cpu/reporter.ts";

export interface Budget {
  /** Units of a tier. */
  readonly tiers: Readonly<Record<string, number>>;
  /** Units of a file without a line. */
  readonly file: number;
  readonly files: Readonly<Record<string, number>>;
}

/** The unit itself differs by so much between two measurements on a busy machine. */
const MARGIN = 1.6;

const BUDGET = new URL("../budget.json", import.meta.url);

/** Sentences, none if the tier and each of its files are within their budgets. */
export function overBudget(tier: string, { files, units }: MeasuredRun, budget: Budget): string[] {
  const over = (what: string, used: number, least: number) =>
    used > least * MARGIN
      ? [`${what} used ${used.toFixed(1)} units of CPU, more than ${MARGIN} times its ${least}`]
      : [];
  return [
    ...over(`The tier ${tier}`, units, budget.tiers[tier] ?? Infinity),
    ...files.flatMap((one) => over(one.file, one.units, budget.files[one.file] ?? budget.file)),
  ];
}

/** The same of the run that has just ended. */
export function overBudgetNow(tier: string): string[] {
  const run = JSON.parse(readFileSync(CPU_FILE, "utf8")) as MeasuredRun;
  return overBudget(tier, run, JSON.parse(readFileSync(BUDGET, "utf8")) as Budget);
}
