// annals-verify FILE: verifies an export with proofs and prints what it checked. Exit 0: valid. Exit 1: not
// valid, with the first bad line. Exit 2: nothing was checked, because the file could not be read or the
// arguments are invalid; it says nothing about the export. Every text of the file, and its name, is printed
// as a JSON string without control or hidden characters: a file must never write on the terminal.

import { command, option, runCommands } from "@annals/cli";
import { escapeHidden, quoteVisibly } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import { Progress } from "./progress.ts";
import { verifyFile } from "./verify-file.ts";
import type { Report } from "./verify-source.ts";

const VALID = 0;
const NOT_VALID = 1;
const NOT_CHECKED = 2;

const verify = command(
  {
    program: "annals-verify",
    name: "",
    summary: "Verify an export of an audit log, without the service",
    details: `Recomputes every digest, hash and link, and checks the range and the manifest. The export must have been made with
include_proofs.`,
    options: {
      sha256: option(
        "<hex>",
        "SHA-256 that the file must have, as the service shows it for the export",
      ),
    },
    positionals: ["file"],
    examples: ["annals-verify export.jsonl"],
    exitStatus: "0 valid, 1 invalid, 2 not checked (unreadable file or usage error)",
  },
  async ({ file, sha256 }) => {
    const progress = new Progress(process.stderr, () => performance.now());
    const started = performance.now();
    try {
      const onProgress = (done: number, total: number): void => progress.show(done, total);
      const report = await verifyFile(file, { onProgress, sha256 });
      progress.clear();
      process.stdout.write(render(report, (performance.now() - started) / 1000));
      return VALID;
    } catch (error) {
      progress.clear();
      return fail(error, file);
    }
  },
);

process.exitCode = await runCommands("annals-verify", [verify], process.argv.slice(2));

/** Prints why, and returns the exit status. A file that cannot be read does not indicate tampering. */
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
