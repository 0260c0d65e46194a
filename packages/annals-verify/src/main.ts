// annals-verify FILE: verifies an export with proofs, or with --policy a bundle of evidence, and prints what
// it checked. annals-verify FOLDER or s3://BUCKET: verifies what sinks have written (sinks/sink-command.ts).
// annals-verify watch: watches a log (watch/watch-command.ts). annals-verify log-keys: finds its new keys
// (log-keys/keys-command.ts). Exit 0: valid. Exit 1: not valid, with the
// first bad line or the reason. Exit 2: it was not checked, or not all of it, because a file could not be
// read, the arguments are invalid or an internal error occurred; it says nothing about the file.
// Every text of the file, and its name, is printed as a JSON string without control or hidden characters: a
// file must never write on the terminal.

import { command, flag, option, repeatedOption, runCommands, UsageError } from "@annals/cli";
import { escapeHidden, quoteVisibly } from "@annals/event";
import net from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { BadLine } from "./bad-line.ts";
import { type EvidenceOutcome, isBundle, runEvidence } from "./evidence/evidence-command.ts";
import { lagIn } from "./evidence/lag-option.ts";
import { keysCommand } from "./log-keys/keys-command.ts";
import { checkProducers } from "./producers.ts";
import { Progress } from "./progress.ts";
import { isBucket } from "./sinks/s3-files.ts";
import { hasSinks, runSinks } from "./sinks/sink-command.ts";
import { verifyFile } from "./verify-file.ts";
import type { Report } from "./verify-source.ts";
import { watchCommand } from "./watch/watch-command.ts";

const VALID = 0;
const NOT_VALID = 1;
const NOT_CHECKED = 2;

/**
 * Milliseconds after which `fetch` tries the next address of a name: a third of the 10 s that it may take to
 * connect. By default an address that is slow is passed over after 250 ms, although no other one may work.
 */
const ADDRESS_TIMEOUT_MS = 3_300;

const verify = command(
  {
    program: "annals-verify",
    name: "",
    summary: "Verify an export or a bundle of evidence of an audit log, without the service",
    details: `Recomputes every digest, hash and link of an export, and checks the range and the manifest. The export must
have been made with include_proofs. With --policy, verifies a bundle of evidence: also its tree, its erasures, and
when witnesses saw it. s3://bucket/prefix is a bucket that sinks write to, and a folder a copy of one: verifies
the objects of each sink and their manifests. The bucket is read with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_SESSION_TOKEN and AWS_REGION of the environment. To watch a log without a bundle: annals-verify watch --help.`,
    options: {
      sha256: option(
        "<hex>",
        "SHA-256 that the file must have, as the service shows it for the export",
      ),
      policy: option(
        "<file>",
        "The logs and witnesses that you trust (c2sp.org/tlog-policy): the file is a bundle of evidence",
      ),
      producers: flag(
        "List the numbers of producers (context.producer) that are missing in an export of JSON Lines; status 1 if any is",
      ),
      events: option(
        "<file>",
        "The events of an archive, plain or in one zstd frame: the file is its bundle, which has none",
      ),
      known: repeatedOption(
        "<file>",
        "A signed checkpoint that you kept: the bundle must continue it",
        (path) => path,
      ),
      "max-anchor-lag": option(
        "<seconds>",
        "Most that an event may have waited until witnesses saw it, 93600 (26 hours) by default",
        lagIn,
      ),
      endpoint: option(
        "<address>",
        "Address of S3-compatible storage, by default AWS_ENDPOINT_URL, and else that of Amazon S3",
      ),
      "tsa-ca": option(
        "<file>",
        "Certificates in PEM of the time-stamping authorities that you trust",
      ),
    },
    positionals: ["file"],
    examples: [
      "annals-verify export.jsonl",
      "annals-verify --policy policy.txt --known kept.checkpoint evidence.tar",
      "annals-verify --policy policy.txt --events events.jsonl.zst evidence.tar",
      "annals-verify s3://your-bucket/prefix",
      "annals-verify copy-of-a-bucket/",
    ],
    exitStatus: "0 valid, 1 invalid, 2 not checked (unreadable file, usage or internal error)",
  },
  async ({ endpoint, events, file, known, policy, producers, sha256, ...given }) => {
    const progress = new Progress(process.stderr, () => performance.now());
    const onProgress = (done: number, total: number): void => progress.show(done, total);
    if (endpoint !== undefined && !isBucket(file))
      throw new UsageError("--endpoint is for s3://bucket/prefix");
    const [maxAnchorLag, authorities] = [given["max-anchor-lag"], given["tsa-ca"]];
    if (producers && (policy !== undefined || isBundle(file) || hasSinks(file)))
      throw new UsageError("--producers is for exports of JSON Lines");
    if (policy !== undefined) {
      if (sha256 !== undefined) throw new UsageError("--sha256 is for exports, without --policy");
      const options = { file, events, policy, known, maxAnchorLag, authorities, onProgress };
      return finish(progress, await runEvidence(options));
    }
    if (known.length > 0 || [events, maxAnchorLag, authorities].some((each) => each !== undefined))
      throw new UsageError("--events, --known, --max-anchor-lag and --tsa-ca need --policy");
    if (isBundle(file))
      return finish(progress, { notChecked: "a bundle of evidence needs --policy <file>" });
    if (hasSinks(file)) {
      if (sha256 !== undefined)
        throw new UsageError("--sha256 is for exports, and not for a folder or a bucket");
      const options = { path: file, endpoint, environment: () => process.env, wait, onProgress };
      return finish(progress, await runSinks(options));
    }
    return await verifyExport({ file, sha256, producers }, progress, onProgress);
  },
);

// Read when it is needed: Deno asks for the right to read the environment.
const watch = watchCommand(() => process.env["ANNALS_API_KEY"], tell);

const commands = [watch, keysCommand(tell), verify];

net.setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_TIMEOUT_MS);

process.exitCode = await runCommands("annals-verify", commands, process.argv.slice(2)).catch(
  failUnexpectedly,
);

interface ExportAsked {
  readonly file: string;
  readonly sha256: string | undefined;
  readonly producers: boolean;
}

async function verifyExport(
  { file, producers, sha256 }: ExportAsked,
  progress: Progress,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const started = performance.now();
  try {
    const report = await verifyFile(file, { onProgress, sha256 });
    progress.clear();
    process.stdout.write(render(report, (performance.now() - started) / 1000));
    if (!producers) return VALID;
    const { isWhole, text } = await checkProducers(file);
    process.stdout.write(text);
    if (isWhole === undefined) return NOT_CHECKED;
    return isWhole ? VALID : NOT_VALID;
  } catch (error) {
    progress.clear();
    return fail(error, file);
  }
}

/** Prints what became of a bundle, and returns the exit status. */
function finish(progress: Progress, outcome: EvidenceOutcome): number {
  progress.clear();
  return tell(outcome);
}

function tell(outcome: EvidenceOutcome): number {
  if ("valid" in outcome) {
    process.stdout.write(outcome.valid);
    return VALID;
  }
  const isInvalid = "invalid" in outcome;
  process.stderr.write(
    isInvalid ? `invalid: ${outcome.invalid}\n` : `not checked: ${outcome.notChecked}\n`,
  );
  return isInvalid ? NOT_VALID : NOT_CHECKED;
}

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

/** An error that no command expects says nothing about the file. Its status is not that of a fault. */
function failUnexpectedly(error: unknown): number {
  process.stderr.write(`not checked: an internal error (${reasonOf(error)})\n`);
  return NOT_CHECKED;
}

/** The system's code alone: its message holds the path as it was given. */
function reasonOf(error: unknown): string {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  return escapeHidden(code ?? message ?? String(error));
}

function render({ manifest, ...report }: Report, seconds: number): string {
  const { erasedParts, events, linksChecked, linksUnchecked } = report;
  const { range, head } = manifest;
  const what = manifest.isFiltered ? "filtered" : "whole";
  const rate = seconds > 0 ? Math.round(events / seconds).toLocaleString("en") : "0";
  const found = manifest.isFiltered
    ? "in order; whether the filter left out more than it should cannot be seen here"
    : "no number is missing";
  const lines = [
    `valid: ${events} events of ${quoteVisibly(manifest.chain)}, sequence numbers ${range.from} to ${range.to} (${what})`,
    `  export    ${quoteVisibly(manifest.exportId)}, made ${quoteVisibly(manifest.createdAt)}`,
    `  events    ${events} hashes and ${events * 5 - erasedParts} digests recomputed`,
    `  erased    ${erased(report)}`,
    `  links     ${linksChecked} checked${linksUnchecked === 0 ? "" : `, ${linksUnchecked} not: the event before is not in the file`}`,
    `  range     ${found}`,
    `  head      ${head.sequenceNumber} ${quoteVisibly(head.hash)}`,
    ...(report.hasByteOrderMark
      ? ["  mark      a byte order mark before the header was skipped"]
      : []),
    `  sha256    ${report.sha256}`,
    `  took      ${seconds.toFixed(1)} s, ${rate} events/s`,
  ];
  return `${lines.join("\n")}\n`;
}

function erased({
  erasedParts,
  erasuresUnchecked,
}: Pick<Report, "erasedParts" | "erasuresUnchecked">): string {
  if (erasuresUnchecked === 0)
    return erasedParts === 0 ? "0 parts" : `${erasedParts} parts, each named by a later record`;
  return `${erasedParts} parts, ${erasuresUnchecked} of them without a record in the file`;
}
