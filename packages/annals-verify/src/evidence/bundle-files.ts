// The files of a bundle, read out of the tar file where they are; the events of an archive are in a file of
// their own. Called by verify-evidence.ts, first: step 1 of the verification is that the files are those that
// bundle.json names. Contents are read in pieces.

import { JsonFault, quoteVisibly } from "@annals/event";
import { parsePolicy, TlogError } from "@annals/tlog";
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { BadLine } from "../bad-line.ts";
import { type Piece, pieces, recordOf } from "../records.ts";
import { CHUNK_BYTES } from "../verify-source.ts";
import { type BundleJson, MAX_BUNDLE_JSON_BYTES, readBundleJson } from "./bundle-json.ts";
import { EvidenceFault, type EvidenceReason, NotChecked } from "./evidence-fault.ts";
import { EventsFile } from "./events-file.ts";
import { readTar, type TarEntry } from "./tar.ts";

export interface Line {
  readonly bytes: Buffer;
  /** Starts at 1. */
  readonly line: number;
}

export const EVENTS = "events.jsonl";
const INDEX = "bundle.json";
const POLICY = "policy";
/** Names that a bundle may have. Step 2 of the verification knows the tiles. */
const BELONGS =
  /^(?:(?:events|heads)\.jsonl|checkpoint|policy|tile\/[\dpx./]+|timestamps\/[1-9]\d{0,15}\.(?:tsr|checkpoint))$/;
const TOKEN_END = ".tsr";
const STAMPED_END = ".checkpoint";

/** Bytes of any file that is read as a whole. */
const MAX_FILE_BYTES = 1024 * 1024;

export class BundleFiles implements Disposable {
  readonly #file: number;
  readonly #entries: ReadonlyMap<string, TarEntry>;
  readonly #events: EventsFile | undefined;
  readonly bundle: BundleJson;

  /**
   * `events` is the path of the events of an archive. Throws EvidenceFault (file_mismatch), NotChecked unless
   * `events` is given exactly for an archive, and the system's error if there is no file.
   */
  constructor(path: string, events?: string) {
    this.#file = openSync(path, "r");
    try {
      const { size } = fstatSync(this.#file);
      const entries = readTar(size, (offset, length) => this.#readAt(offset, length));
      this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
      this.bundle = this.#readIndex();
      this.#events = this.#openEvents(events);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    this.#events?.[Symbol.dispose]();
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Rejects with EvidenceFault (file_mismatch) unless the files are those of bundle.json, byte for byte. */
  async check(onProgress: (done: number) => void): Promise<void> {
    const { events, files } = this.bundle;
    for (const name of this.names)
      if (name !== INDEX && !files.has(name))
        throw mismatch(`${quoteVisibly(name)} is not in ${INDEX}`);
    checkNames(files);
    let done = 0;
    // One for all pieces: they are many, and each is needed for a moment.
    const piece = Buffer.alloc(CHUNK_BYTES);
    for (const [name, listed] of files) {
      const entry = this.#entries.get(name);
      if (entry === undefined || name === INDEX) throw mismatch(`${quoteVisibly(name)} is missing`);
      const digest = createHash("sha256");
      for (let at = 0; at < entry.size; at += CHUNK_BYTES) {
        const length = Math.min(CHUNK_BYTES, entry.size - at);
        const read = readSync(this.#file, piece, 0, length, entry.offset + at);
        digest.update(piece.subarray(0, read));
        done += read;
        onProgress(done);
      }
      if (entry.size !== listed.size || digest.digest("hex") !== listed.sha256)
        throw mismatch(`${quoteVisibly(name)} is not the file that ${INDEX} names`);
    }
    this.#checkPolicy();
    if (events !== undefined) await this.#events?.check(events, (more) => onProgress(done + more));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Throws EvidenceFault if the file is missing or too large. */
  read(name: string, most = MAX_FILE_BYTES): Buffer {
    const entry = this.#entry(name);
    if (entry.size > most) throw mismatch(`${quoteVisibly(name)} is too large`);
    return this.#readAt(entry.offset, entry.size);
  }

  /** The lines of a file. Throws EvidenceFault (file_malformed) if one is too long or has no end. */
  async *lines(name: string): AsyncGenerator<Line> {
    for await (const piece of this.pieces(name)) {
      if (piece instanceof EvidenceFault) throw piece;
      for (const [at, line] of piece.lines.entries()) yield { bytes: recordOf(piece, at), line };
    }
  }

  /** The same in pieces of many lines. Its last value may be the fault. */
  async *pieces(name: string): AsyncGenerator<Piece | EvidenceFault> {
    const seen = (): void => {};
    const malformed = (message: string) =>
      new EvidenceFault("file_malformed", `${name}: ${message}`);
    try {
      for await (const piece of pieces(this.#chunks(name), false, seen))
        yield piece.isOpen === true ? malformed("the end was cut off") : piece;
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      yield malformed(error.message);
    }
  }

  /** Bytes of a file. */
  sizeOf(name: string): number {
    const { events } = this.bundle;
    return name === EVENTS && events !== undefined ? events.size : this.#entry(name).size;
  }

  #entry(name: string): TarEntry {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw mismatch(`${quoteVisibly(name)} is missing`);
    return entry;
  }

  #readIndex(): BundleJson {
    return asFault("file_mismatch", INDEX, () =>
      readBundleJson(this.read(INDEX, MAX_BUNDLE_JSON_BYTES)),
    );
  }

  /** It is not used. A reader who opens it should find what it is called. */
  #checkPolicy(): void {
    if (!this.has(POLICY)) return;
    try {
      parsePolicy(this.read(POLICY));
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw new EvidenceFault("file_malformed", `${POLICY}: ${error.message}`);
    }
  }

  #openEvents(path: string | undefined): EventsFile | undefined {
    const { events, files } = this.bundle;
    if (events !== undefined && files.has(EVENTS))
      throw mismatch(`${INDEX} names its events twice`);
    if (events !== undefined && path === undefined)
      throw new NotChecked(
        "the events of an archive are in a file of their own: name it with --events",
      );
    if (events === undefined && path !== undefined)
      throw new NotChecked("the bundle has its events itself: --events is for an archive");
    return path === undefined ? undefined : new EventsFile(path);
  }

  /** Read from the open file, and not by its path, which may name another file by now. */
  async *#chunks(name: string): AsyncGenerator<Buffer> {
    if (name === EVENTS && this.#events !== undefined) {
      yield* this.#events.chunks();
      return;
    }
    const { offset, size } = this.#entry(name);
    for (let at = 0; at < size; at += CHUNK_BYTES)
      yield this.#readAt(offset + at, Math.min(CHUNK_BYTES, size - at));
  }

  #readAt(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const read = readSync(this.#file, bytes, 0, length, offset);
    return bytes.subarray(0, read);
  }
}

/** A bundle has the files that it must have, and time stamps: each has a token and what that is over. */
function checkNames(files: BundleJson["files"]): void {
  for (const name of files.keys()) {
    const isToken = name.endsWith(TOKEN_END);
    const [end, other] = isToken ? [TOKEN_END, STAMPED_END] : [STAMPED_END, TOKEN_END];
    const isAlone =
      name.includes("/") && name.endsWith(end) && !files.has(name.slice(0, -end.length) + other);
    if (!BELONGS.test(name) || isAlone)
      throw mismatch(`${quoteVisibly(name)} does not belong to a bundle`);
  }
}

/** Returns what `read` does; a shape that is wrong becomes a fault of the file. */
export function asFault<Value>(reason: EvidenceReason, where: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadLine || error instanceof JsonFault)
      throw new EvidenceFault(reason, `${where}: ${error.message}`);
    throw error;
  }
}

function mismatch(message: string): EvidenceFault {
  return new EvidenceFault("file_mismatch", message);
}
