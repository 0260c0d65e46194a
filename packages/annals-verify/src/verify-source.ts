// Verifies an export as a stream, in constant memory, wherever its bytes come from: verify-file.ts gives
// those of a file, browser-worker.ts those of a Blob. It stops at the first line that is not valid. It must
// never need anything but these bytes, nor import what a browser does not have or browser-node.ts does not
// replace.

import { Erasures } from "@annals/event";
import { isUtf8 } from "node:buffer";
import { BadLine } from "./bad-line.ts";
import { BodyDigest } from "./body-digest.ts";
import { ChainWalk } from "./chain-walk.ts";
import { type Checked, checkerOf, type Format, type Records } from "./check-records.ts";
import { conclude } from "./conclude.ts";
import type { CheckedEvent } from "./checked-event.ts";
import type { Checker } from "./checker.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { pieces } from "./records.ts";
import type { Report, Source, VerifyOptions } from "./report.ts";
import { Sorter } from "./sorter.ts";

export type { Report, Source, VerifyOptions } from "./report.ts";

/** Checks records one by one, in this thread or in others. */
export interface Checks {
  /** Checks in flight at one time; more take memory and save no time. */
  readonly size: number;
  check(records: Records): Promise<Checked>;
  close(): Promise<void>;
}

/** Bytes of one read. */
export const CHUNK_BYTES = 1024 * 1024;
/** Bytes at the end that hold the manifest; only its filter can be long. */
const TAIL_BYTES = 256 * 1024;
const OPENING_BRACE = 0x7b;
const CUT_OFF = "the end was cut off";

/** Rejects with BadLine naming the first line that is not valid, and as the source does. */
export async function verifySource(
  source: Source,
  openChecks: (checker: Checker, format: Format) => Checks,
  options: VerifyOptions = {},
): Promise<Report> {
  const { format, tail } = await inspect(source);
  const checker = checkerOf(format);
  const text = checker.manifestIn(tail);
  let manifest: Manifest | undefined;
  let fault: BadLine | undefined;
  try {
    if (text !== undefined && !isUtf8(tail)) throw new BadLine("the manifest is not valid UTF-8");
    manifest = text === undefined ? undefined : readManifest(text);
  } catch (error) {
    // Thrown when its line is reached, unless an earlier line is invalid.
    fault = error as BadLine;
  }
  if (manifest && !manifest.includeProofs)
    throw new BadLine("the export was made without proofs: nothing in it can be recomputed");
  const checks = openChecks(checker, format);
  try {
    return await walkSource({ source, format, checker, checks, manifest, fault, ...options });
  } finally {
    await checks.close();
  }
}

interface Walked extends VerifyOptions {
  readonly source: Source;
  readonly format: Format;
  readonly checker: Checker;
  readonly checks: Checks;
  readonly manifest: Manifest | undefined;
  readonly fault: BadLine | undefined;
}

/** Events that are being checked, and their lines. */
interface PendingCheck {
  readonly checked: Promise<Checked>;
  readonly lines: readonly number[];
  /** Whether the last record lacks its line break, which every record of an export has. */
  readonly isOpen: boolean;
}

async function walkSource(given: Walked): Promise<Report> {
  const { checker, checks, format, manifest, source } = given;
  const { size } = source;
  const digest = new BodyDigest(manifest?.sizeBytes ?? size);
  const walk = new ChainWalk(manifest);
  const erasures = new Erasures();
  const take = (event: CheckedEvent): void => {
    walk.take(event);
    erasures.take(event);
  };
  const sorter = new Sorter(checker);
  const pending: PendingCheck[] = [];
  let chain = manifest?.chain;
  const seen = (chunk: Buffer): void => {
    digest.update(chunk);
    given.onProgress?.(digest.bytes, size);
  };
  for await (const piece of pieces(source.chunks(), format === "csv", seen)) {
    const { bytes, bounds, lines } = sorter.eventsOf(piece);
    const checked = checks.check({ bytes, bounds, chain });
    // Awaited below; until then a failure would be an unhandled rejection.
    checked.catch(() => {});
    chain ??= (await checked).chain;
    pending.push({ checked, lines, isOpen: piece.isOpen === true });
    if (sorter.fault) break;
    if (pending.length > checks.size) await takeFirst(pending, take);
  }
  while (pending.length > 0) await takeFirst(pending, take);
  if (sorter.fault) throw sorter.fault;
  const { hasByteOrderMark, line } = sorter;
  if (given.fault) throw given.fault.at(line);
  if (!sorter.ended || !manifest)
    throw new BadLine(`the manifest is missing: ${CUT_OFF}`, line + 1);
  return conclude(given, manifest, { walk, erasures, digest, line, hasByteOrderMark });
}

/** Gives the next events to `take`. Throws BadLine if one of them is invalid. */
async function takeFirst(
  pending: PendingCheck[],
  take: (event: CheckedEvent) => void,
): Promise<void> {
  const next = pending.shift();
  if (!next) return;
  const { events, fault } = await next.checked;
  let at = 0;
  try {
    for (const event of events) {
      take(event);
      at += 1;
    }
    if (fault !== undefined) throw new BadLine(next.isOpen ? `${CUT_OFF}: ${fault}` : fault);
  } catch (error) {
    throw error instanceof BadLine ? error.at(next.lines[at] ?? 0) : error;
  }
}

/** The format and the last record. */
async function inspect(source: Source) {
  const { size } = source;
  if (size === 0) throw new BadLine("the file is empty", 1);
  const bytes = await source.read(Math.max(0, size - TAIL_BYTES), size);
  const first = await source.read(0, 1);
  const format: Format = first[0] === OPENING_BRACE ? "jsonl" : "csv";
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  return { format, tail: bytes.subarray(bytes.lastIndexOf(0x0a, end - 1) + 1, end) };
}
