// Inflates a compressed body. Called by json-body.ts once it has arrived, so that no slow sender holds a
// decoder. It must never make more bytes than the route takes and its account has left: each piece of 64 KiB
// is counted before the next is made.

import { AnnalsError, invalid } from "@annals/errors";
import { constants, createGunzip, createZstdDecompress } from "node:zlib";
import { BodyTooLarge } from "../errors.ts";

export const CODINGS = ["gzip", "zstd"] as const;
export type Coding = (typeof CODINGS)[number];

export interface InflateLimits {
  readonly maxBytes: number;
  /** Takes memory for a piece. Throws if none is left. */
  readonly take: (bytes: number) => void;
}

const PIECE_BYTES = 64 * 1024;
/** RFC 9659: a decoder takes windows of 8 MiB, and no larger ones. */
const MAX_WINDOW_LOG = 23;

const DECODERS = {
  gzip: () => createGunzip({ chunkSize: PIECE_BYTES }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: PIECE_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    }),
};

/** Rejects with `invalid` if the body is not one complete stream of the coding, or is too large. */
export async function inflateBody(
  body: Buffer,
  coding: Coding,
  { maxBytes, take }: InflateLimits,
): Promise<Buffer> {
  const decoder = DECODERS[coding]();
  const pieces: Buffer[] = [];
  let size = 0;
  decoder.end(body);
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      take(piece.length);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof AnnalsError ? error : damaged(coding);
  }
  // The decoders end at the end of their stream, whatever follows it.
  if (decoder.bytesWritten !== body.length) throw damaged(coding);
  return Buffer.concat(pieces, size);
}

function tooLarge(maxBytes: number): AnnalsError {
  const message = `The body is too large: it inflates to more than ${maxBytes} bytes. Send less at a time.`;
  return new BodyTooLarge(invalid({ field: "", message }));
}

function damaged(coding: Coding): AnnalsError {
  const message = `the body must be one complete ${coding} stream, without bytes after it`;
  return invalid({ field: "Content-Encoding", message });
}
