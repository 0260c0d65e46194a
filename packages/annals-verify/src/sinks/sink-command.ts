// What `annals-verify` does with a folder or a bucket: verifies the objects that sinks have written, and says
// what it has found. Called by main.ts. The exit statuses are those of an export.

import { quoteVisibly } from "@annals/event";
import { statSync } from "node:fs";
import type { EvidenceOutcome } from "../evidence/evidence-command.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import { isBucket, s3Files } from "./s3-files.ts";
import { folderFiles, type SinkFiles } from "./sink-files.ts";
import { type SinkReport, type SinksReport, verifySinks } from "./verify-sinks.ts";

/** Whether a path is that of a folder or of a bucket; false for one that cannot be read. */
export function hasSinks(path: string): boolean {
  return isBucket(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Objects that are named, of those that were not checked. */
const MAX_NAMED = 100;

export interface SinkArguments {
  readonly path: string;
  /** The address of the storage of a bucket. */
  readonly endpoint: string | undefined;
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  /** Waits before a request is retried, for milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
  /** Pages of the list of a bucket, by default 4,000. */
  readonly maxPages?: number | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

export async function runSinks(given: SinkArguments): Promise<EvidenceOutcome> {
  const { endpoint, environment, maxPages, onProgress, path, wait } = given;
  try {
    const files: SinkFiles = isBucket(path)
      ? s3Files(path, { endpoint, environment: environment(), maxPages, wait })
      : folderFiles(path);
    const report = await verifySinks(files, onProgress);
    const { faults, unread } = report.findings;
    const notChecked = unread.shown.join("\nnot checked: ");
    if (faults.count === 0) return unread.count === 0 ? { valid: textOf(report) } : { notChecked };
    const invalid = faults.shown.join("\ninvalid: ");
    return { invalid: unread.count === 0 ? invalid : `${invalid}\nnot checked: ${notChecked}` };
  } catch (error) {
    if (error instanceof NotChecked) return { notChecked: error.message };
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { notChecked: `${quoteVisibly(path)} cannot be read (${code})` };
  }
}

function textOf({ sinks, withoutManifest }: SinksReport): string {
  const texts = sinks.map(sinkText);
  if (withoutManifest.length > 0)
    texts.push(
      `note: ${withoutManifest.length} objects have no manifest, so they were not checked: read the events without them\n`,
      ...withoutManifest.slice(0, MAX_NAMED).map((name) => `  ${quoteVisibly(name)}\n`),
    );
  return texts.join("");
}

function sinkText(report: SinkReport): string {
  const {
    chain,
    events,
    from,
    linksChecked,
    linksUnchecked,
    newest,
    objects,
    recomputed,
    sink,
    to,
  } = report;
  const lines = [
    `valid: ${events} events of ${quoteVisibly(chain)} by ${quoteVisibly(sink)}, sequence numbers ${from} to ${to}`,
    `  manifests 1 to ${newest}, each names the one before`,
    `  objects   ${objects}, each as its manifest says`,
    `  events    ${recomputed} hashes recomputed, ${events - recomputed} not: they have no proof, or parts were left out`,
    `  links     ${linksChecked} checked, ${linksUnchecked} not: the event before is not there`,
    `  newest    whether there were objects after event ${to} cannot be seen here: compare the cursor of the sink`,
  ];
  return `${lines.join("\n")}\n`;
}
