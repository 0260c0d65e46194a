// annals-verify FILE: verifies an export with proofs and prints what it checked. Exit 0: valid. Exit 1: not
// valid, with the first bad line. Exit 2: nothing was checked, because the file could not be read or the
// arguments are invalid; it says nothing about the export. Every text of the file, and its name, is printed
// as a JSON string without control or hidden characters: a file must never write on the terminal.

import { escapeHidden, quoteVisibly } from "@annals/event";
import { parseArgs } from "node:util";
import { BadLine } from "./bad-line.ts";
import { Progress } from "./progress.ts";
import { verifyFile } from "./verify-file.ts";
import type { Report } from "./verify-source.ts";

const USAGE = `Usage: annals-verify [--sha256 <hex>] <file>

Verifies an export made with include_proofs: every digest, hash and link, the range, the manifest. Requires only the
file. With --sha256, the file must also have this SHA-256, which the service shows for the export.

Exit status: 0 valid, 1 invalid, 2 not checked (unreadable file or usage error).
`;

const VALID = 0;
const NOT_VALID = 1;
const NOT_CHECKED = 2;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  if (asked === "help") {
    process.stdout.write(USAGE);
    return VALID;
  }
  if (!asked) {
    process.stderr.write(USAGE);
    return NOT_CHECKED;
  }
  const progress = new Progress(process.stderr, () => performance.now());
  const started = performance.now();
  try {
    const onProgress = (done: number, total: number): void => progress.show(done, total);
    const report = await verifyFile(asked.file, { onProgress, sha256: asked.sha256 });
    progress.clear();
    process.stdout.write(render(report, (performance.now() - started) / 1000));
    return VALID;
  } catch (error) {
    progress.clear();
    return fail(error, asked.file);
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { sha256: { type: "string" }, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    if (values.help === true) return "help";
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) return undefined;
    return { file, sha256: values.sha256 };
  } catch {
    return undefined;
  }
}

/** Prints why, and returns the exit status. A file that cannot be read is no sign of tampering. */
function fail(error: unknown, file: string): number {
  if (error instanceof BadLine) {
    const where = error.line === undefined ? "" : `line ${error.line}: `;
    process.stderr.write(`invalid: ${where}${error.message}\n`);
    return NOT_VALID;
  }
  process.stderr.write(`not checked: ${quoteVisibly(file)} cannot be read (${reasonOf(error)})\n`);
  return NOT_CHECKED;
}

/** The system's code alone: its message holds the path as it was given. */
function reasonOf(error: unknown): string {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  return escapeHidden(code ?? message ?? String(error));
}

function render({ manifest, ...report }: Report, seconds: number): string {
  const { events, linksChecked, linksUnchecked } = report;
  const { range, head } = manifest;
  const what = manifest.isFiltered ? "filtered" : "whole";
  const rate = seconds > 0 ? Math.round(events / seconds).toLocaleString("en") : "0";
  const found = manifest.isFiltered
    ? "in order; whether the filter left out more than it should cannot be seen here"
    : "no number is missing";
  const lines = [
    `valid: ${events} events of ${quoteVisibly(manifest.chain)}, sequence numbers ${range.from} to ${range.to} (${what})`,
    `  export    ${quoteVisibly(manifest.exportId)}, made ${quoteVisibly(manifest.createdAt)}`,
    `  events    ${events} hashes and ${events * 5} digests recomputed`,
    `  links     ${linksChecked} checked${linksUnchecked === 0 ? "" : `, ${linksUnchecked} not: the event before is not in the file`}`,
    `  range     ${found}`,
    `  head      ${head.sequenceNumber} ${quoteVisibly(head.hash)}`,
    `  sha256    ${report.sha256}`,
    `  took      ${seconds.toFixed(1)} s, ${rate} events/s`,
  ];
  return `${lines.join("\n")}\n`;
}
