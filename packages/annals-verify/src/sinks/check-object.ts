// Checks one object of a sink against its manifest: its bytes, and then its lines one by one. Called by
// verify-sinks.ts. It must never decompress bytes that are not those of the manifest, hold more than a line
// of what they become, nor accept an object in which another reader finds more lines.

import { GENESIS_HASH } from "@annals/event";
import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import * as zlib from "node:zlib";
import { BadLine } from "../bad-line.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import type { Place } from "../manifest.ts";
import { checkZstdFrame } from "../zstd-frame.ts";
import type { SinkFile } from "./sink-files.ts";
import { readSinkLine } from "./sink-line.ts";
import type { SinkManifest } from "./sink-manifest.ts";

/** An object has up to 16 MiB of text, and what the batch that exceeds them adds. */
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;
/** More than the largest event has with its proof. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface CheckedObject {
  readonly events: number;
  /** Events whose digests and hash were recomputed. */
  readonly recomputed: number;
  readonly linksChecked: number;
  /** Links over events that the object does not have, because a filter left them out or they are gone. */
  readonly linksUnchecked: number;
}

/** Throws NotChecked if no object could be checked. */
export function demandZstd(): void {
  if (!("createZstdDecompress" in zlib))
    throw new NotChecked("this runtime cannot decompress zstd: use Node.js 22.15 or newer");
}

/** Rejects with BadLine if the object is not what its manifest says. */
export async function checkObject(
  object: SinkFile,
  manifest: SinkManifest,
): Promise<CheckedObject> {
  const bytes = await readObject(object, manifest);
  checkZstdFrame(bytes);
  const walk = new ObjectWalk(manifest);
  for await (const line of linesOf(bytes)) walk.take(line);
  return walk.end();
}

/** Reads the object once, so that what is decompressed is what was compared. */
async function readObject(
  { read, size }: SinkFile,
  { bytes, sha256 }: SinkManifest,
): Promise<Buffer> {
  if (size < bytes) throw new BadLine(`was cut off: it has ${size} bytes of ${bytes}`);
  if (size > bytes) throw new BadLine(`was changed: it has ${size} bytes, and not ${bytes}`);
  if (size > MAX_OBJECT_BYTES) throw new BadLine("is larger than the objects of sinks");
  const found = await read();
  const digest = createHash("sha256").update(found).digest("hex");
  if (digest !== sha256) throw new BadLine("was changed: its SHA-256 is another");
  return found;
}

async function* linesOf(object: Buffer): AsyncGenerator<Buffer> {
  const text = pipeline(Readable.from([object]), zlib.createZstdDecompress(), () => {});
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of text) {
      const bytes = Buffer.concat([rest, chunk as Buffer]);
      let from = 0;
      for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
        yield bytes.subarray(from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > MAX_LINE_BYTES) throw new BadLine("has a line that is too long");
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("ZSTD_"))
      throw new BadLine("has a damaged zstd frame");
    throw error;
  }
  if (rest.length > 0) throw new BadLine("ends in the middle of a line");
}

class ObjectWalk {
  readonly #manifest: SinkManifest;
  #lines = 0;
  #kind: string | undefined;
  #recomputed = 0;
  #linksChecked = 0;
  #linksUnchecked = 0;
  #first: Place | undefined;
  #last: Place | undefined;

  constructor(manifest: SinkManifest) {
    this.#manifest = manifest;
  }

  take(line: Buffer): void {
    this.#lines += 1;
    try {
      const { isRecomputed, kind, place } = readSinkLine(line, this.#manifest);
      this.#kind ??= kind;
      // A line that cannot be checked must not stand among those that are.
      if (kind !== this.#kind)
        throw new BadLine("is of another format than the lines before it, or lacks their members");
      if (isRecomputed) this.#recomputed += 1;
      if (place) this.#take(place);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      throw new BadLine(`line ${this.#lines}: ${error.message}`);
    }
  }

  end(): CheckedObject {
    const { count, firstHash, firstPreviousHash, from, lastHash, to } = this.#manifest;
    if (this.#lines !== count)
      throw new BadLine(`has ${this.#lines} lines, and its manifest says ${count}`);
    const [first, last] = [this.#first, this.#last];
    if (first && last) {
      if (first.sequenceNumber !== from || last.sequenceNumber !== to)
        throw new BadLine(
          `has events ${first.sequenceNumber} to ${last.sequenceNumber}, and its manifest says ${from} to ${to}`,
        );
      if (first.hash !== firstHash || first.previousHash !== firstPreviousHash)
        throw new BadLine("its first event is not that of its manifest");
      if (last.hash !== lastHash) throw new BadLine("its last event is not that of its manifest");
    }
    return {
      events: count,
      recomputed: this.#recomputed,
      linksChecked: this.#linksChecked,
      linksUnchecked: this.#linksUnchecked,
    };
  }

  #take(place: Place): void {
    const { previousHash, sequenceNumber } = place;
    const before = this.#last;
    this.#first ??= place;
    this.#last = place;
    if (before && sequenceNumber <= before.sequenceNumber)
      throw new BadLine(`sequence number ${sequenceNumber} follows ${before.sequenceNumber}`);
    const isNext = before?.sequenceNumber === sequenceNumber - 1;
    if (before && !isNext) this.#linksUnchecked += 1;
    // The link of the first event is checked with the other objects.
    if (sequenceNumber > 1 && !isNext) return;
    if (previousHash !== (isNext ? before?.hash : GENESIS_HASH))
      throw new BadLine(`sequence number ${sequenceNumber} does not link to the event before`);
    this.#linksChecked += 1;
  }
}
