// Sends a response whose bytes are in memory. Called by register-routes.ts and static-files.ts. A large one
// is sent in pieces, which show how much of it the client has read.

import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";

/** A larger response is sent in pieces. */
export const PIECE_BYTES = 64 * 1024;

export function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  if (bytes.length <= PIECE_BYTES || reply.request.method === "HEAD") return reply.send(bytes);
  return reply
    .header("content-length", bytes.length)
    .send(Readable.from(piecesOf(bytes), { objectMode: false }));
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
