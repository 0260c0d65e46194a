// Guarantee: the text of an archive is compressed as one zstd frame, whatever its pieces and its size: where
// Node.js ends a frame twice, what it adds is left out.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, zstdDecompressSync } from "node:zlib";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { writeText } from "./archive-text.ts";
import { FileWriter } from "../../exports/file-writer.ts";

const MAGIC = Buffer.of(0x28, 0xb5, 0x2f, 0xfd);
/** What zstd adds to bytes that it cannot compress, at most, and the buffer of Node.js. */
const [ADDED, BUFFER] = [40, 16_384];

const piecesOf = (text: Buffer, count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) =>
    text.subarray((text.length * at) / count, (text.length * (at + 1)) / count),
  );

function framesIn(file: Buffer): number {
  let frames = 0;
  for (let at = file.indexOf(MAGIC); at >= 0; at = file.indexOf(MAGIC, at + 1)) frames += 1;
  return frames;
}

async function written(pieces: readonly Buffer[]): Promise<Buffer> {
  const files: Buffer[] = [];
  const write = (bytes: Uint8Array) => void files.push(Buffer.from(bytes));
  const sink = { write: async (bytes: Uint8Array) => write(bytes) };
  const writer = new FileWriter(
    sink as unknown as ConstructorParameters<typeof FileWriter>[0],
    () => Promise.resolve(),
  );
  await writeText(writer, Readable.from(pieces), new AbortController().signal);
  return Buffer.concat(files);
}

/** The same by Node.js alone. */
async function byNode(pieces: readonly Buffer[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  await pipeline(Readable.from(pieces), createZstdCompress({ params }), async (compressed) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Texts whose frames end at, before and behind the end of a buffer, in one piece and in two. */
const TEXTS = [1, 2].flatMap((count) =>
  Array.from({ length: ADDED }, (_, less) => piecesOf(randomBytes(count * BUFFER - less), count)),
);

test("one frame, which has the text", async () => {
  for (const pieces of [[Buffer.from("{}\n")], ...TEXTS]) {
    const file = await written(pieces);
    expect(framesIn(file)).toBe(1);
    expect(zstdDecompressSync(file)).toEqual(Buffer.concat(pieces));
  }
});

test("control: Node.js alone writes further frames", async () => {
  const files = await Promise.all(TEXTS.map(byNode));
  expect(files.filter((file) => framesIn(file) > 1).length).toBeGreaterThan(1);
});
