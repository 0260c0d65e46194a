// Renders figures as Markdown, for the terminal and for docs/performance/last-run.md. Called by main.ts and
// compare.ts.

import { writeFile } from "node:fs/promises";
import type { Section } from "./measure/bench.ts";

const PAGE = new URL("../../docs/performance/last-run.md", import.meta.url);
const HEAD = `# The last run of the benchmark

The benchmark writes this page. [Performance](../performance.md) says how it measures, and what the figures mean.`;

export interface Report {
  readonly command: string;
  readonly date: string;
  readonly machine: readonly (readonly [string, string])[];
  readonly sections: readonly Section[];
}

export function renderReport({ command, date, machine, sections }: Report): string {
  const head = [
    `Run of ${date} with \`${command}\`:`,
    "",
    ...machine.map(([name, value]) => `- ${name}: ${value}`),
  ];
  return [...head, ...sections.flatMap(renderSection)].join("\n");
}

function renderSection({ title, about, heads, results, costOf = "an event" }: Section): string[] {
  const hasCost = results.some(({ cost }) => cost !== undefined);
  const rows = results.map(({ what, figure, p50, p99, ratio, cost }) =>
    // A column without any value is omitted.
    [
      what,
      figure,
      ...[p50, p99, ratio].filter((_, at) => has(results, at)).map((cell) => cell ?? ""),
      ...(hasCost ? [cost ?? ""] : []),
    ],
  );
  const all = ["", ...heads, ...(hasCost ? [`CPU ${costOf}`] : [])];
  return ["", `## ${title}`, "", about, "", ...table([all, ...rows])];
}

function has(results: Section["results"], at: number): boolean {
  return results.some(({ p50, p99, ratio }) => [p50, p99, ratio][at] !== undefined);
}

/** A Markdown table, padded so that it is readable on a terminal. */
export function table([heads = [], ...rows]: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, at) =>
    Math.max(head.length, 3, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  // The first column is text, the others are figures.
  const line = (cells: readonly string[]) => {
    const padded = widths.map((width, at) => {
      const cell = cells[at] ?? "";
      return at === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const dashes = widths.map((width, at) => `${"-".repeat(width + 1)}${at === 0 ? "-" : ":"}`);
  const rule = `|${dashes.join("|")}|`;
  return [line(heads), rule, ...rows.map(line)];
}

/** Replaces the page of the last run. */
export async function writeReport(report: string): Promise<void> {
  await writeFile(PAGE, `${HEAD}\n\n${report}\n`);
}
