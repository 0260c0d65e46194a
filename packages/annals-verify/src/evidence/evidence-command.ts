// What `annals-verify` does with a bundle of evidence: reads what the caller trusts, verifies, prints. Called
// by main.ts if --policy is given. The exit statuses are those of an export.

import { escapeHidden, quoteVisibly } from "@annals/event";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { EvidenceFault, NotChecked } from "./evidence-fault.ts";
import { evidenceText } from "./evidence-text.ts";
import { isTar } from "./tar.ts";
import { type EvidenceOptions, verifyEvidence } from "./verify-evidence.ts";

export interface EvidenceArguments {
  readonly file: string;
  readonly policy: string;
  /** The events of an archive. */
  readonly events: string | undefined;
  readonly known: readonly string[];
  readonly maxAnchorLag: number | undefined;
  readonly authorities: string | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

/** Either the text for standard output, or why the bundle is not valid or was not checked. */
export type EvidenceOutcome =
  | { readonly valid: string }
  | { readonly invalid: string }
  | { readonly notChecked: string };

/** Bytes of a policy, a checkpoint or certificates. */
const MAX_GIVEN_BYTES = 1024 * 1024;

export async function runEvidence(given: EvidenceArguments): Promise<EvidenceOutcome> {
  const started = performance.now();
  return await outcomeOf(async () => {
    const { size } = await stat(given.file);
    const total = size + (given.events === undefined ? 0 : sizeOf(given.events));
    const report = await verifyEvidence(given.file, {
      ...(await readOptions(given)),
      events: given.events,
      onProgress: (done) => given.onProgress(done, total),
    });
    return evidenceText(report, (performance.now() - started) / 1000);
  }, given.file);
}

/** What became of `work`, which resolves to a text. `subject` is what it reads. */
export async function outcomeOf(
  work: () => Promise<string>,
  subject: string,
): Promise<EvidenceOutcome> {
  try {
    return { valid: await work() };
  } catch (error) {
    if (error instanceof EvidenceFault) return { invalid: `${error.reason}: ${error.message}` };
    if (error instanceof NotChecked) return { notChecked: error.message };
    const { code, message } = error as Partial<NodeJS.ErrnoException>;
    const why = escapeHidden(code ?? message ?? String(error));
    return { notChecked: `${quoteVisibly(subject)} cannot be read (${why})` };
  }
}

/** Whether a file begins as a bundle does; false for one that cannot be read. */
export function isBundle(path: string): boolean {
  let file: number | undefined;
  try {
    const opened = openSync(path, "r");
    file = opened;
    return isTar((offset, length) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(opened, bytes, 0, length, offset));
    });
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Bytes of a file; 0 for one that cannot be read, of which verifyEvidence says so. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function readOptions(given: EvidenceArguments): Promise<EvidenceOptions> {
  const { authorities, maxAnchorLag } = given;
  return {
    policy: await readGiven(given.policy),
    known: await Promise.all(given.known.map(readGiven)),
    maxAnchorLag,
    timestampAuthorities: authorities === undefined ? undefined : await readGiven(authorities),
  };
}

/** The bytes of a file that the caller names. Throws NotChecked. */
export async function readGiven(path: string): Promise<Buffer> {
  try {
    const bytes = await readFile(path);
    if (bytes.length <= MAX_GIVEN_BYTES) return bytes;
  } catch (error) {
    const { code } = error as Partial<NodeJS.ErrnoException>;
    throw new NotChecked(`${quoteVisibly(path)} cannot be read (${code ?? "unknown"})`);
  }
  throw new NotChecked(`${quoteVisibly(path)} is larger than ${MAX_GIVEN_BYTES} bytes`);
}
