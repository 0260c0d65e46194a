// Serves pages and files that need no key, from a fixed table: each is read, hashed and compressed once, at
// start. Called by app.ts, pages.ts and dashboard.ts with what is served. No path of a request ever becomes
// the path of a file.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { notFound } from "../edge/error-responder.ts";
import type { RequestsInFlight } from "../edge/requests-in-flight.ts";
import { PIECE_BYTES, sendBytes } from "../edge/send-bytes.ts";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { takeNoBody } from "../edge/empty-body.ts";
import { isKnown, takesGzip } from "../render/negotiation.ts";

/** Limit of one file: what browsers load is small. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** A browser asks every time whether the file has changed. */
const REVALIDATED = "no-cache";
/** For an address that has the hash of the content in it. */
const IMMUTABLE = "public, max-age=31536000, immutable";

export interface StaticFile {
  readonly url: string;
  /** Path of the file; `content` may be given instead. */
  readonly path?: string;
  readonly content?: string;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the file never changes at this address. */
  readonly isImmutable?: boolean;
}

/** The bytes of a file, for those who name its hash. */
export function readStaticFile(path: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: run \`node deploy/bundle/bundle.mjs\``, {
      cause: error,
    });
  }
  if (bytes.length <= MAX_FILE_BYTES) return bytes;
  throw new Error(`${path} has ${bytes.length} bytes: at most ${MAX_FILE_BYTES} are served`);
}

export type Responding = Pick<RequestsInFlight, "readBody" | "responded">;

export function serveStaticFiles(
  app: FastifyInstance,
  files: readonly StaticFile[],
  inFlight: Responding,
): void {
  for (const file of files) {
    const handler = handlerOf(file);
    app.route({
      method: ["GET", "HEAD"],
      url: file.url,
      onRequest: [refuseAsterisk, takeNoBody(inFlight)],
      handler: (request, reply) => {
        handler(request, reply);
        inFlight.responded(request.raw, PIECE_BYTES);
        return reply;
      },
    });
  }
}

/** The router takes `*`, which is not a path, for `/`. */
async function refuseAsterisk(request: FastifyRequest): Promise<void> {
  if (request.url === "*") await notFound(request);
}

function handlerOf({ path, content = "", type, headers, isImmutable = false }: StaticFile) {
  const plain = path === undefined ? Buffer.from(content) : readStaticFile(path);
  const packed = gzipSync(plain);
  const tag = hash("sha256", plain, "base64url");
  const always = {
    "content-type": type,
    "cache-control": isImmutable ? IMMUTABLE : REVALIDATED,
    "x-content-type-options": "nosniff",
    vary: "accept-encoding",
    ...headers,
  };
  return ({ headers: asked }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const isPacked = takesGzip(asked["accept-encoding"]);
    // The two forms are different bytes, so they have different strong tags.
    const etag = isPacked ? `"${tag}-gzip"` : `"${tag}"`;
    void reply.headers({ ...always, etag });
    if (isKnown(etag, asked["if-none-match"])) return reply.code(304).send();
    if (isPacked) void reply.header("content-encoding", "gzip");
    return sendBytes(reply, isPacked ? packed : plain);
  };
}
