// Tar files in which something was added to the files of a bundle: to a header, between the entries, behind
// them. Called by added-bundle.test.ts. Each is one that some program reads otherwise than another.

import { gzipSync, zstdCompressSync } from "node:zlib";
import { type Files, tarHeader, tarOf } from "./made-bundle.ts";

export type Case = readonly [what: string, tar: Buffer];

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
const entryOf = (name: string, bytes: Buffer, type = "0"): Buffer =>
  Buffer.concat([withField(tarHeader(name, bytes.length), 156, type), padded(bytes)]);

/** A header with other bytes, and the sum that it then has. */
function withField(header: Buffer, at: number, text: string | Buffer): Buffer {
  const copy = Buffer.from(header);
  Buffer.from(text).copy(copy, at);
  copy.write("        ", 148);
  const sum = copy.reduce((total, byte) => total + byte, 0);
  copy.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return copy;
}

const FIELDS: readonly [string, number, string | Buffer][] = [
  ["another mode", 100, "0004755\0"],
  ["an owner", 108, "0001750\0"],
  ["a group", 116, "0001750\0"],
  ["a size with spaces", 124, `${" ".repeat(8)}1a `],
  ["a time without an end", 136, "000000000007"],
  ["a directory", 156, "5"],
  ["an old plain file", 156, "\0"],
  ["a file of its own blocks", 156, "7"],
  ["a sparse file", 156, "S"],
  ["the name of a link", 157, "/etc/passwd"],
  ["the magic of GNU tar", 257, "ustar  \0"],
  ["another version", 263, "  "],
  ["the name of an owner", 265, "root"],
  ["the name of a group", 297, "root"],
  ["a device", 329, "0000001\0"],
  ["a second device", 337, "0000001\0"],
  ["a prefix", 345, "../../tmp"],
  ["bytes of GNU tar behind the prefix", 482, "\u0001"],
  ["bytes behind all fields", 508, "x"],
  ["bytes behind the name", 60, "x"],
];

function headerCases(files: Files): Case[] {
  const whole = tarOf(files);
  return FIELDS.map(([what, at, text]) => {
    const header = withField(whole.subarray(0, 512), at, text);
    return [`${what} in the first header`, Buffer.concat([header, whole.subarray(512)])];
  });
}

const PAX = Buffer.from("23 path=../../tmp/other\n");
const ENTRIES: readonly [string, Buffer][] = [
  ["a file", entryOf("extra", Buffer.from("x"))],
  ["a file that is there", entryOf("policy", Buffer.from("quorum none\n"))],
  ["a pax header", entryOf("x", PAX, "x")],
  ["a global pax header", entryOf("x", PAX, "g")],
  ["a long name", entryOf("././@LongLink", Buffer.from("../../tmp/other\0"), "L")],
  ["a long link", entryOf("././@LongLink", Buffer.from("../../tmp/other\0"), "K")],
  ["a folder", entryOf("tile/", Buffer.alloc(0), "5")],
  ["a symbolic link", entryOf("events.jsonl", Buffer.alloc(0), "2")],
  ["a label", entryOf("label", Buffer.alloc(0), "V")],
  ["a block of zeros", Buffer.alloc(512)],
  ["a block that is not zero", Buffer.alloc(512, 1)],
];

function entryCases(files: Files): Case[] {
  const own = [...files].map(([name, bytes]) => entryOf(name, bytes));
  const places = [0, 1, own.length - 1, own.length];
  return ENTRIES.flatMap(([what, entry]) =>
    places.map((at): Case => [
      `${what} as entry ${at}`,
      Buffer.concat([...own.toSpliced(at, 0, entry), Buffer.alloc(1024)]),
    ]),
  ).filter(([what]) => what !== `a block of zeros as entry ${own.length}`);
}

function byteCases(files: Files): Case[] {
  const whole = tarOf(files);
  const [first] = files.values();
  const behindFirst = 512 + (first?.length ?? 0);
  const changedAt = (at: number) => {
    const copy = Buffer.from(whole);
    copy[at] = 1;
    return copy;
  };
  const behind = (bytes: Buffer) => Buffer.concat([whole, bytes]);
  return [
    ["a byte behind a file", changedAt(behindFirst)],
    ["a byte in the first block of the end", changedAt(whole.length - 1024)],
    ["a byte in the second block of the end", changedAt(whole.length - 1)],
    ["a byte behind the end", behind(Buffer.of(1))],
    ["a second tar file behind the end", behind(whole)],
    ["a gzip member behind the end", behind(gzipSync("x"))],
    ["a byte before the beginning", Buffer.concat([Buffer.of(0), whole])],
    ["a compressed tar file", gzipSync(whole)],
    ["a tar file in a zstd frame", zstdCompressSync(whole)],
  ];
}

export function tarCases(files: Files): Case[] {
  return [...headerCases(files), ...entryCases(files), ...byteCases(files)];
}
