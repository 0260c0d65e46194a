// Compares the CPU that a tier has used with test/budget.json, in units of work. A tier has a budget, and
// so has each file above what most files stay below. Wall time fails nothing.

import { readFileSync } from "node:fs";
import { CPU_FILE, type MeasuredRun } from "../cpu/reporter.ts";

export interface Budget {
  /** Units of a tier. */
  readonly tiers: Readonly<Record<string, number>>;
  /** Units of a file without a line of its own. */
  readonly file: number;
  readonly files: Readonly<Record<string, number>>;
}

/**
 * What the same tests use on another machine, or a busy one: a unit differs by a half between two
 * measurements, and services that wait longer poll more. Of one file the figure differs more than of all.
 */
const TIER_MARGIN = 1.6;
const FILE_MARGIN = 3;

const BUDGET = new URL("../budget.json", import.meta.url);

/** Sentences, none if the tier and each of its files are within their budgets. */
export function overBudget(tier: string, { files, units }: MeasuredRun, budget: Budget): string[] {
  const over = (what: string, used: number, { of, margin }: { of: number; margin: number }) =>
    used > of * margin
      ? [`${what} used ${used.toFixed(1)} units of CPU, more than ${margin} times its ${of}`]
      : [];
  const ofTier = { of: budget.tiers[tier] ?? Infinity, margin: TIER_MARGIN };
  const ofFile = (file: string) => ({ of: budget.files[file] ?? budget.file, margin: FILE_MARGIN });
  return [
    ...over(`The tier ${tier}`, units, ofTier),
    ...files.flatMap(({ file, units: used }) => over(file, used, ofFile(file))),
  ];
}

/** The same of the run that has just ended. */
export function overBudgetNow(tier: string): string[] {
  const run = JSON.parse(readFileSync(CPU_FILE, "utf8")) as MeasuredRun;
  return overBudget(tier, run, JSON.parse(readFileSync(BUDGET, "utf8")) as Budget);
}
