// The public head log (docs/evidence.md): the checkpoint, tiles, entries and keys of the log of epochs, which
// names no account, under `/log/`. Called by app.ts. Anyone may read it, and any cache may keep it: it must
// never look at a key, a cookie or a query, nor answer one client otherwise than another.

import { AnnalsError } from "@annals/errors";
import type { LedgerService, ReadHeadLogRequestSchema } from "@annals/proto/ledger";
import { REQUEST_ID_HEADER } from "@annals/rpc";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hash } from "node:crypto";
import type { RequestBudget } from "../edge/request-budget.ts";
import { takeNoBody } from "../edge/empty-body.ts";
import type { RequestsInFlight } from "../edge/requests-in-flight.ts";
import { sendBytes } from "../edge/send-bytes.ts";
import { errorResponse } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { isKnown } from "../render/negotiation.ts";
import { tileAt } from "./tile-path.ts";

/** Requests per second and client address; ten times as many at once. */
export const HEAD_LOG_PER_SECOND = 20;

/** What the path of a tile shows never changes: a partial tile has its width in its path. */
const IMMUTABLE = "public, max-age=31536000, immutable";
/** The newest checkpoint, and what is not there yet. */
const SHORT = "public, max-age=5";

const TEXT = "text/plain; charset=utf-8";
const OCTETS = "application/octet-stream";

const PREFIX = "/log/";
/** The number of a log that follows another, before the path in it. The first log has none. */
const LATER_LOG = /^([2-9]|[1-9]\d{1,4})\/(.+)$/;

export interface HeadLogOptions {
  readonly budget: Pick<RequestBudget, "isOver" | "count">;
  readonly inFlight: Pick<
    RequestsInFlight,
    "addressOf" | "begin" | "ended" | "readBody" | "responded" | "withOne"
  >;
  readonly ledger: Pick<Client<typeof LedgerService>, "readHeadLog">;
  readonly metrics: Pick<Metrics, "refused">;
}

type Request = MessageInitShape<typeof ReadHeadLogRequestSchema>;

interface Part {
  readonly request: Request;
  readonly type: string;
  readonly cacheControl: string;
}

interface Content {
  readonly bytes: Buffer;
  readonly etag: string;
}

export function serveHeadLog(app: FastifyInstance, options: HeadLogOptions): void {
  const { inFlight } = options;
  const read = sharedReads(options);
  app.route({
    method: ["GET", "HEAD"],
    url: `${PREFIX}*`,
    onRequest: [allowPages, takeNoBody(inFlight)],
    handler: async (request, reply) => {
      const { raw } = request;
      const address = inFlight.addressOf(raw);
      countRequest(address, options);
      const path = request.url.split("?", 1)[0] ?? "";
      const part = partOf(path.slice(PREFIX.length));
      inFlight.begin(raw);
      let content: Content | undefined;
      try {
        content = part && (await read(path, part.request, { address, requestId: request.id }));
      } finally {
        inFlight.ended(raw);
      }
      if (part === undefined || content === undefined) sendNotFound(request, reply);
      else send(request, reply, part, content);
      inFlight.responded(raw, content?.bytes.length);
      return reply;
    },
  });
}

/** Pages of every origin may read it: their browsers send nothing that would show more. */
async function allowPages(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("access-control-allow-origin", "*");
}

/** Throws `rate_limited`. */
function countRequest(address: string, { budget, metrics }: HeadLogOptions): void {
  if (budget.isOver(address)) {
    metrics.refused("head_log_rate");
    const message = "Too many requests for the log from this address. Try again.";
    throw new AnnalsError("rate_limited", message, { retryAfterS: 1 });
  }
  budget.count(address);
}

/** Undefined for a path that no log has. */
function partOf(path: string): Part | undefined {
  const [, number = "1", rest = path] = LATER_LOG.exec(path) ?? [];
  const log = Number(number);
  if (rest === "checkpoint")
    return {
      request: { log, part: { case: "checkpoint", value: {} } },
      type: TEXT,
      cacheControl: SHORT,
    };
  if (rest === "vkey")
    return { request: { log, part: { case: "vkey", value: {} } }, type: TEXT, cacheControl: SHORT };
  const tile = tileAt(rest);
  if (tile === undefined) return undefined;
  const { level, width } = tile;
  const place = { index: BigInt(tile.index), width };
  const request: Request =
    level === "entries"
      ? { log, part: { case: "entries", value: place } }
      : { log, part: { case: "tile", value: { ...place, level } } };
  return { request, type: OCTETS, cacheControl: IMMUTABLE };
}

type Read = (
  path: string,
  request: Request,
  by: { readonly address: string; readonly requestId: string },
) => Promise<Content | undefined>;

/** Reads for all requests for one path that wait at a time. Resolves to undefined for what is not there. */
function sharedReads({ inFlight, ledger }: HeadLogOptions): Read {
  const reads = new Map<string, Promise<Content | undefined>>();
  const read: Read = (path, request, by) => {
    const { address, requestId } = by;
    // The share of the address that asked first is not that of those that wait with it.
    const known = reads.get(path);
    if (known !== undefined)
      return known.catch((error: unknown) => {
        if (error instanceof AnnalsError && error.kind === "rate_limited")
          return read(path, request, by);
        throw error;
      });
    const reading = inFlight
      .withOne("head_log", address, () =>
        ledger.readHeadLog(request, { headers: { [REQUEST_ID_HEADER]: requestId } }),
      )
      .then(({ content }) => contentOf(content), unlessMissing)
      .finally(() => reads.delete(path));
    reads.set(path, reading);
    return reading;
  };
  return read;
}

function contentOf(content: Uint8Array): Content {
  const bytes = Buffer.from(content);
  return { bytes, etag: `"${hash("sha256", bytes, "base64url")}"` };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof AnnalsError && error.kind === "not_found") return undefined;
  throw error;
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { cacheControl, type }: Part,
  { bytes, etag }: Content,
): void {
  reply.headers({ "cache-control": cacheControl, etag });
  if (isKnown(etag, request.headers["if-none-match"])) reply.code(304).send();
  else sendBytes(reply.type(type), bytes);
}

/** Sends no error through the error handler: this refuses no client, and caches keep it for a moment. */
function sendNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const error = new AnnalsError("not_found", "The log has no such file.");
  const { body, status } = errorResponse(error, request.id);
  reply.code(status).header("cache-control", SHORT).send(body);
}
