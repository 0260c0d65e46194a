// Registers the routes of v1.ts with Fastify: schemas for validation, the
// handler, the answer, and what each takes of its account's shares. Called by app.ts.

import type { Clock } from "@annals/contract";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Admission } from "./admission/admission.ts";
import type { Deps } from "./deps.ts";
import { queryIntegers } from "./edge/query-integers.ts";
import { refuseBody } from "./edge/request-head.ts";
import type { RequestsInFlight } from "./edge/requests-in-flight.ts";
import type { Answer, Call, Route } from "./route.ts";
import { V1 } from "./v1.ts";

/** Of routes that take no parameters: an unknown one is refused. */
const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

/** An answer from this size on counts until its client has read it. */
const COUNTED_ANSWER_BYTES = 64 * 1024;
/** A larger one is written in pieces, which show how much of it the client has read. */
const LARGE_ANSWER_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;

export interface Serving {
  readonly deps: Deps;
  readonly clock: Clock;
  readonly inFlight: Pick<RequestsInFlight, "take" | "takeInTime" | "readBody">;
}

/** All widget tokens of an account have a share of their own, and take nothing of what its keys have. */
function holderOf({ accountId, widget }: Pick<Admission, "accountId" | "widget">): string {
  return widget ? `${accountId} widget` : accountId;
}

export function registerRoutes(app: FastifyInstance, serving: Serving): void {
  const { deps, inFlight } = serving;
  for (const [method, url, scope, , make] of V1) {
    const route = make(deps);
    const query = route.query ?? NO_PARAMETERS;
    const checkIntegers = queryIntegers(query);
    const bodyLimit = route.maxBodyBytes ?? deps.limits.bodyMaxBytes;
    app.route({
      method,
      url,
      bodyLimit,
      config: {
        scope,
        ...(route.feature !== undefined && { feature: route.feature }),
        ...(route.maxDepth !== undefined && { maxDepth: route.maxDepth }),
        ...(route.maxValues !== undefined && { maxValues: route.maxValues }),
      },
      schema: {
        querystring: query,
        ...(route.body && { body: route.body }),
        ...(route.params && { params: route.params }),
        ...(route.headers && { headers: route.headers }),
      },
      ...(route.body
        ? {
            preParsing: (request, _reply, payload, next) => {
              readBody(request, inFlight, bodyLimit);
              next(null, payload);
            },
          }
        : { onRequest: refuseBody }),
      ...(checkIntegers && {
        preValidation: async (request) => checkIntegers(request.query),
      }),
      handler: (request, reply) => {
        const { resource } = route;
        if (resource === undefined) return answer(route, request, reply, serving);
        return inFlight
          .takeInTime(request.raw, resource, holderOf(admissionOf(request)))
          .then(() => answer(route, request, reply, serving));
      },
    });
  }
}

/**
 * Neither this nor the handlers of appends are async functions: an async function keeps its arguments while
 * it waits, and a parsed body can take ten times its bytes.
 */
function answer(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, inFlight }: Serving,
): Promise<FastifyReply> {
  const { raw } = request;
  const admission = admissionOf(request);
  const call: Call<unknown, unknown, unknown, unknown> = {
    admission,
    readmit: request.readmit,
    body: request.body,
    query: request.query,
    params: request.params,
    headers: request.headers,
    receivedAt: clock.nowText(),
    // A getter: few handlers use it, and it costs more than the rest of this object.
    get signal() {
      return request.signal;
    },
  };
  request.body = undefined;
  return route.handle(call).then((answered) => {
    const body = answered.body === undefined ? undefined : bytesOf(answered.body);
    // A request that had a body holds its bytes until now, and its answer may not be refused.
    if (body && !route.body && body.length >= COUNTED_ANSWER_BYTES)
      inFlight.take(raw, "bytes", admission.accountId, body.length);
    return send(reply.code(route.success.status), answered, body);
  });
}

function readBody(request: FastifyRequest, inFlight: Serving["inFlight"], bodyLimit: number): void {
  const { accountId } = admissionOf(request);
  // Too large a body is refused by its length, unread.
  const length = Number(request.headers["content-length"] ?? 0);
  if (length <= bodyLimit) inFlight.readBody(request.raw, accountId);
}

function admissionOf({ admission }: FastifyRequest): Admission {
  if (!admission) throw new Error("a request reached a handler without admission");
  return admission;
}

function bytesOf(body: NonNullable<Answer["body"]>): string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

function send(
  reply: FastifyReply,
  { headers, stream }: Answer,
  body: string | Buffer | undefined,
): FastifyReply {
  if (headers) reply.headers(headers);
  if (stream) return reply.send(stream);
  if (body === undefined) return reply.send();
  reply.type("application/json; charset=utf-8");
  if (body.length <= LARGE_ANSWER_BYTES) return reply.send(body);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return reply
    .header("content-length", bytes.length)
    .send(Readable.from(piecesOf(bytes), { objectMode: false }));
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
