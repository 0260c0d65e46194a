// Verifies an export from its first byte to its last, as it streams by: constant memory, no
// network, nothing but the file. It stops at the first line that is not valid.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { BadLine } from "./bad-line.ts";
import { ChainWalk } from "./chain-walk.ts";
import { checkManifest } from "./check-manifest.ts";
import { csvChecker } from "./csv-record.ts";
import { jsonlChecker } from "./jsonl-record.ts";
import { type Manifest, type Place, readManifest } from "./manifest.ts";
import { batches } from "./records.ts";

export interface VerifyOptions {
  /** Told now and then how many bytes of how many are done. */
  readonly onProgress?: (done: number, total: number) => void;
  /** The SHA-256 that the whole file has to have, as the service told it. */
  readonly sha256?: string | undefined;
}

export interface Report {
  readonly manifest: Manifest;
  readonly events: number;
  readonly linksChecked: number;
  /** Links over events that the filter, or the beginning of the range, left out. */
  readonly linksUnchecked: number;
  /** Of the whole file. */
  readonly sha256: string;
}

/** What a format knows of its records. */
export interface Checker {
  /** The manifest's text, where the record holds it. */
  manifestIn(record: Buffer): string | undefined;
  /** Undefined for a record that is no event (a header). Throws BadLine. */
  check(record: Buffer, chain: string | undefined): Place | undefined;
}

/** Bytes that are read at a time. */
const CHUNK_BYTES = 1024 * 1024;
/** Where the manifest is looked for; its filter is all in it that can be long. */
const TAIL_BYTES = 256 * 1024;
const OPENING_BRACE = 0x7b;

/**
 * Rejects with BadLine naming the first line that is not valid, and with the system's error where
 * there is no file.
 */
export async function verifyFile(path: string, options: VerifyOptions = {}): Promise<Report> {
  const { size, isCsv, tail } = await look(path);
  const checker = isCsv ? csvChecker() : jsonlChecker();
  const text = checker.manifestIn(tail);
  let manifest: Manifest | undefined;
  let fault: BadLine | undefined;
  try {
    manifest = text === undefined ? undefined : readManifest(text);
  } catch (error) {
    // Told when its line comes, unless a line before it is at fault.
    fault = error as BadLine;
  }
  if (manifest && !manifest.includeProofs)
    throw new BadLine("the export was made without proofs: nothing in it can be recomputed");
  return walkFile(path, { size, isCsv, checker, manifest, fault, ...options });
}

interface Walked extends VerifyOptions {
  readonly size: number;
  readonly isCsv: boolean;
  readonly checker: Checker;
  readonly manifest: Manifest | undefined;
  readonly fault: BadLine | undefined;
}

async function walkFile(path: string, given: Walked): Promise<Report> {
  const { checker, manifest, size } = given;
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const digest = new BodyDigest(manifest?.sizeBytes ?? size);
  const walk = new ChainWalk(manifest);
  let chain = manifest?.chain;
  let line = 0;
  let ended = false;
  const seen = (chunk: Buffer): void => {
    digest.update(chunk);
    given.onProgress?.(digest.bytes, size);
  };
  for await (const records of batches(stream, given.isCsv, seen)) {
    for (const record of records) {
      line = record.line;
      try {
        if (ended) throw new BadLine("stands after the manifest");
        if (checker.manifestIn(record.bytes) !== undefined) {
          ended = true;
          continue;
        }
        const event = checker.check(record.bytes, chain);
        if (!event) continue;
        walk.take(event);
        chain ??= chainOf(event);
      } catch (error) {
        throw error instanceof BadLine ? error.at(line) : error;
      }
    }
  }
  if (given.fault) throw given.fault.at(line);
  if (!ended || !manifest)
    throw new BadLine("the manifest is missing: the end was cut off", line + 1);
  return conclude(given, manifest, walk, digest, line);
}

function conclude(
  { isCsv, size, sha256 }: Walked,
  manifest: Manifest,
  walk: ChainWalk,
  digest: BodyDigest,
  line: number,
): Report {
  const whole = digest.whole();
  try {
    const format = isCsv ? "csv" : "jsonl";
    const before = manifest.sizeBytes <= size ? manifest.sizeBytes : -1;
    checkManifest(manifest, { format, walk, sizeBytes: before, sha256: digest.body() });
    if (sha256 !== undefined && sha256.toLowerCase() !== whole)
      throw new BadLine(`sha256_mismatch: the file's is ${whole}`);
  } catch (error) {
    throw error instanceof BadLine ? error.at(line) : error;
  }
  const { events, linksChecked, linksUnchecked } = walk;
  return { manifest, events, linksChecked, linksUnchecked, sha256: whole };
}

function chainOf(event: Place): string | undefined {
  return "chain" in event && typeof event.chain === "string" ? event.chain : undefined;
}

/** SHA-256 of the first `size` bytes, and of all. */
class BodyDigest {
  readonly #body = createHash("sha256");
  readonly #size: number;
  #whole: ReturnType<typeof createHash> | undefined;
  bytes = 0;

  constructor(size: number) {
    this.#size = size;
  }

  update(chunk: Buffer): void {
    const left = Math.max(0, this.#size - this.bytes);
    if (left > 0) this.#body.update(chunk.subarray(0, left));
    if (chunk.length > left) {
      this.#whole ??= this.#body.copy();
      this.#whole.update(chunk.subarray(left));
    }
    this.bytes += chunk.length;
  }

  body(): string {
    return this.#body.copy().digest("hex");
  }

  whole(): string {
    return (this.#whole ?? this.#body).copy().digest("hex");
  }
}

/** The size, the format and the last record of the file. */
async function look(path: string) {
  await using handle = await open(path, "r");
  const { size } = await handle.stat();
  if (size === 0) throw new BadLine("the file is empty", 1);
  const begin = Math.max(0, size - TAIL_BYTES);
  const bytes = Buffer.alloc(size - begin);
  await handle.read(bytes, 0, bytes.length, begin);
  const first = Buffer.alloc(1);
  await handle.read(first, 0, 1, 0);
  const isCsv = first[0] !== OPENING_BRACE;
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  const tail = bytes.subarray(bytes.lastIndexOf(0x0a, end - 1) + 1, end);
  return { size, isCsv, tail: isCsv && tail.at(-1) === 0x0d ? tail.subarray(0, -1) : tail };
}
