// The table of contents of a tar file, read without its contents: names, offsets and sizes. Called by
// bundle-files.ts. It accepts plain files of the ustar format alone, so that a bundle can hold nothing else.

import { quoteVisibly } from "@annals/event";
import { EvidenceFault } from "./evidence-fault.ts";

export interface TarEntry {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** Reads bytes; fewer at the end of the file. */
export type ReadAt = (offset: number, length: number) => Buffer;

/** Tiles of 50 million events. */
const MAX_ENTRIES = 200_000;
const BLOCK_BYTES = 512;
const PIECE_BYTES = 64 * 1024;
const CHECKSUM = { from: 148, to: 156 };
/** A size whose first bit is set is a binary number. */
const BINARY_SIZE = 0x80;
const OCTAL = /^ *([0-7]+)[ \0]*$/;
const PLAIN_FILE = ["0", "\0"];

/** Throws EvidenceFault (file_mismatch). */
export function readTar(size: number, readAt: ReadAt): TarEntry[] {
  const entries: TarEntry[] = [];
  const names = new Set<string>();
  let at = 0;
  for (;;) {
    const header = readAt(at, BLOCK_BYTES);
    if (header.length < BLOCK_BYTES) throw mismatch("the tar file was cut off");
    if (isZero(header)) {
      checkEnd(at + BLOCK_BYTES, size, readAt);
      return entries;
    }
    const entry = readHeader(header, at + BLOCK_BYTES);
    if (names.has(entry.name)) throw mismatch(`the file ${quoteVisibly(entry.name)} appears twice`);
    if (entry.offset + entry.size > size) throw mismatch("the tar file was cut off");
    if (entries.length === MAX_ENTRIES) throw mismatch(`a bundle has at most ${MAX_ENTRIES} files`);
    names.add(entry.name);
    entries.push(entry);
    const end = entry.offset + entry.size;
    at = entry.offset + Math.ceil(entry.size / BLOCK_BYTES) * BLOCK_BYTES;
    if (!isZero(readAt(end, at - end))) throw mismatch("there are bytes after the end of a file");
  }
}

/** A second block of zeros, and nothing else up to the end: nothing can hide there. */
function checkEnd(from: number, size: number, readAt: ReadAt): void {
  if (size - from < BLOCK_BYTES) throw mismatch("the tar file was cut off");
  for (let at = from; at < size; at += PIECE_BYTES)
    if (!isZero(readAt(at, Math.min(PIECE_BYTES, size - at))))
      throw mismatch("there are bytes after the end of the tar file");
}

/** Whether a file begins as a tar file does. */
export function isTar(readAt: ReadAt): boolean {
  return readAt(0, BLOCK_BYTES).toString("latin1", 257, 262) === "ustar";
}

function readHeader(header: Buffer, offset: number): TarEntry {
  const isUstar = header.toString("latin1", 257, 262) === "ustar";
  if (!isUstar || octal(header.subarray(CHECKSUM.from, CHECKSUM.to)) !== checksumOf(header))
    throw mismatch("is not a tar file of the ustar format");
  if (!PLAIN_FILE.includes(header.toString("latin1", 156, 157)))
    throw mismatch("the tar file has an entry that is not a plain file");
  const prefix = textIn(header, 345, 500);
  const name = textIn(header, 0, 100);
  const size = sizeIn(header.subarray(124, 136));
  if (size === undefined) throw mismatch("the tar file has an entry without a size");
  return { name: prefix === "" ? name : `${prefix}/${name}`, offset, size };
}

function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries())
    sum += at >= CHECKSUM.from && at < CHECKSUM.to ? 0x20 : byte;
  return sum;
}

function textIn(header: Buffer, from: number, to: number): string {
  const [text = ""] = header.toString("latin1", from, to).split("\0", 1);
  return text;
}

function octal(field: Buffer): number | undefined {
  const [, digits] = OCTAL.exec(field.toString("latin1")) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function sizeIn(field: Buffer): number | undefined {
  if (field[0] !== BINARY_SIZE) return octal(field);
  const value = Number(field.readBigUInt64BE(4));
  return Number.isSafeInteger(value) && field.readUInt32BE(0) === 0x80_00_00_00 ? value : undefined;
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function mismatch(message: string): EvidenceFault {
  return new EvidenceFault("file_mismatch", message);
}
