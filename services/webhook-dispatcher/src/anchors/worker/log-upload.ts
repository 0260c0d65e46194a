// One upload of the head log to a bucket: the files that it lacks, then the checkpoint. Called by
// bucket-anchor.ts. Repeated after a crash, it finds what is there and goes on. It must never store a
// checkpoint unless all of its files are there, byte by byte.

import { formatMicros } from "@annals/contract";
import {
  parseCheckpoint,
  parseNote,
  parseVkey,
  TILE_WIDTH,
  TlogError,
  type TilePath,
  tilePath,
  verifyNote,
} from "@annals/tlog";
import { endOfStep, filesBetween } from "../rules/log-files.ts";
import type { LockedBucket, LockedFile, Stored } from "../locked-bucket.ts";
import type { AnchorLedger } from "./anchor-deps.ts";

/** Files that are uploaded at a time. */
const CONCURRENCY = 8;
const MICROS_PER_S = 1_000_000;
const S_PER_DAY = 86_400;

const TEXT = "text/plain; charset=utf-8";
const IMMUTABLE = "public, max-age=31536000, immutable";
const BRIEF = "public, max-age=5";

interface Options {
  readonly bucket: LockedBucket;
  readonly ledger: Pick<AnchorLedger, "addAnchor" | "readHeadLog">;
  readonly log: number;
  readonly nowMicros: number;
}

type Part = NonNullable<Parameters<AnchorLedger["readHeadLog"]>[0]["part"]>;

interface Kept {
  readonly checkpoint: string;
  readonly size: number;
  readonly version: string;
}

export class LogUpload {
  readonly #options: Options;
  readonly #until: Date;

  constructor(options: Options) {
    this.#options = options;
    const seconds =
      Math.ceil(options.nowMicros / MICROS_PER_S) + options.bucket.lockDays * S_PER_DAY;
    this.#until = new Date(seconds * 1_000);
  }

  get retainUntil(): string {
    return formatMicros(this.#until.getTime() * 1_000);
  }

  /** `moved` is called as full tiles are there up to a size; `begun` is the one of an earlier upload. */
  async run(
    begun: number,
    signal: AbortSignal,
    moved: (size: number) => Promise<unknown>,
  ): Promise<Kept> {
    const note = (await this.#read({ case: "checkpoint", value: {} }, signal)).toString();
    const { size } = parseCheckpoint(parseNote(note).text);
    let from = Math.max(begun, await this.#sizeInBucket(signal));
    if (from > size)
      throw new Error(`the bucket has ${from} entries of the log, which has ${size}`);
    for (let to = from; to < size; from = to) {
      to = endOfStep(from, size);
      await this.#uploadFiles([...filesBetween(from, to)], to === size, signal);
      if (to < size) await moved(to);
    }
    return this.#storeCheckpoint(note, size, signal);
  }

  /**
   * The size of the newest checkpoint in the bucket, whose files are all there. 0 for one of another log. The
   * ledger gets it too, and stops closing epochs if the log does not have it.
   */
  async #sizeInBucket(signal: AbortSignal): Promise<number> {
    const bytes = await this.#options.bucket.read(this.#pathOf("checkpoint"), signal);
    if (bytes === undefined) return 0;
    const seen = bytes.toString();
    const size = await this.#signedSize(seen, signal);
    if (size === 0) return 0;
    const { ledger, log } = this.#options;
    await ledger.addAnchor({ log, anchor: { case: "seenCheckpoint", value: seen } }, { signal });
    return size;
  }

  /** 0 for a checkpoint that no key of the log has signed. */
  async #signedSize(checkpoint: string, signal: AbortSignal): Promise<number> {
    const vkeys = (await this.#read({ case: "vkey", value: {} }, signal)).toString();
    try {
      const note = parseNote(checkpoint);
      verifyNote(note, vkeys.trimEnd().split("\n").map(parseVkey));
      return parseCheckpoint(note.text).size;
    } catch (error) {
      if (error instanceof TlogError) return 0;
      throw error;
    }
  }

  /** Partial ones are for the size of a checkpoint only. */
  async #uploadFiles(all: TilePath[], hasPartial: boolean, signal: AbortSignal): Promise<void> {
    const files = all.filter(({ width }) => hasPartial || width === TILE_WIDTH);
    for (let at = 0; at < files.length; at += CONCURRENCY) {
      const some = files.slice(at, at + CONCURRENCY);
      await Promise.all(some.map((file) => this.#uploadFile(file, signal)));
    }
  }

  async #uploadFile(tile: TilePath, signal: AbortSignal): Promise<void> {
    const { level, width } = tile;
    const place = { index: BigInt(tile.index), width };
    const bytes = await this.#read(
      level === "entries"
        ? { case: "entries", value: place }
        : { case: "tile", value: { ...place, level } },
      signal,
    );
    const file = this.#fileOf(tilePath(tile), bytes, "application/octet-stream", IMMUTABLE);
    const stored = await this.#options.bucket.keep(file, signal);
    if (!stored.bytes.equals(bytes)) throw new Error(`the bucket has another ${file.path}`);
  }

  /** Once under its size, which stays the first, and once as the newest. */
  async #storeCheckpoint(note: string, size: number, signal: AbortSignal): Promise<Kept> {
    const { bucket } = this.#options;
    const bytes = Buffer.from(note);
    const own = this.#fileOf(`checkpoints/${size}`, bytes, TEXT, IMMUTABLE);
    const kept = await bucket.keep(own, signal);
    const checkpoint = kept.bytes.toString();
    // It may have been stored with fewer cosignatures before.
    if (parseNote(checkpoint).text !== parseNote(note).text)
      throw new Error(`the bucket has another ${own.path}`);
    const newest = this.#fileOf("checkpoint", bytes, TEXT, BRIEF);
    const replaced: Stored = await bucket.replace(newest, signal);
    if (!replaced.bytes.equals(bytes)) throw new Error("the bucket has another newest checkpoint");
    return { checkpoint, size, version: kept.version };
  }

  async #read(part: Part, signal: AbortSignal): Promise<Buffer> {
    const { ledger, log } = this.#options;
    const { content } = await ledger.readHeadLog({ log, part }, { signal });
    return Buffer.from(content);
  }

  #fileOf(path: string, bytes: Buffer, type: string, cacheControl: string): LockedFile {
    return { bytes, cacheControl, path: this.#pathOf(path), type, until: this.#until };
  }

  /** A log that follows another has the path that it has at the gateway. */
  #pathOf(path: string): string {
    return this.#options.log === 1 ? path : `${this.#options.log}/${path}`;
  }
}
