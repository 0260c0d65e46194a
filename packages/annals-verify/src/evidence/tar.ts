// The table of contents of a tar file, read without its contents: names, offsets and sizes. Called by
// bundle-files.ts. It accepts the headers that the service writes, byte for byte, so that a bundle can hold
// nothing else: programs make different things of links, long names, prefixes and old formats.

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
const NAME_BYTES = 100;
const AT = { size: 124, time: 136, sum: 148 };
/** The largest size that fits into eleven octal digits. A larger one is a binary number behind this byte. */
const MAX_OCTAL_SIZE = 8 ** 11 - 1;
const BINARY_SIZE = 0x80;
const OCTAL = /^([0-7]{11})\0$/;

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
  const [name = ""] = header.toString("latin1", 0, NAME_BYTES).split("\0", 1);
  const size = sizeIn(header.subarray(AT.size, AT.time));
  const time = octalIn(header.subarray(AT.time, AT.sum));
  if (name === "" || size === undefined || time === undefined)
    throw mismatch("is not a tar file of the ustar format");
  if (!header.equals(headerOf(name, size, time)))
    throw mismatch(`the header of ${quoteVisibly(name)} is not one that the service writes`);
  return { name, offset, size };
}

/** The header that the service writes of a plain file. */
function headerOf(name: string, size: number, time: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, NAME_BYTES, "latin1");
  header.write("0000644\u00000000000\u00000000000\0", NAME_BYTES);
  if (size <= MAX_OCTAL_SIZE) header.write(octal(size), AT.size);
  else {
    header.writeUInt8(BINARY_SIZE, AT.size);
    header.writeBigUInt64BE(BigInt(size), AT.size + 4);
  }
  header.write(octal(time), AT.time);
  // Eight spaces stand for the sum while it is made.
  header.write("        0", AT.sum);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, AT.sum);
  return header;
}

function octal(value: number): string {
  return `${value.toString(8).padStart(11, "0")}\0`;
}

function octalIn(field: Buffer): number | undefined {
  const [, digits] = OCTAL.exec(field.toString("latin1")) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function sizeIn(field: Buffer): number | undefined {
  if (field[0] !== BINARY_SIZE) return octalIn(field);
  const value = Number(field.readBigUInt64BE(4));
  return Number.isSafeInteger(value) ? value : undefined;
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function mismatch(message: string): EvidenceFault {
  return new EvidenceFault("file_mismatch", message);
}
