// Registers the routes of v1.ts with Fastify: schemas for validation, the handler, the response, and what
// each takes of its account's shares. Called by app.ts.

import type { Clock } from "@annals/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { type TObject, Type } from "typebox";
import { internal } from "@annals/errors";
import { RateWindow } from "@annals/proto/keys";
import type { Admission } from "./admission/admission.ts";
import type { Bounds } from "./bounds.ts";
import type { Deps } from "./deps.ts";
import { type BodyDeps, readAnyBodies } from "./edge/json-body.ts";
import { queryIntegers } from "./edge/query-integers.ts";
import { takeAbsentBody, takeNoBody } from "./edge/empty-body.ts";
import { refuseRepeated } from "./edge/request-head.ts";
import type { RequestsInFlight } from "./edge/requests-in-flight.ts";
import { DOWNLOAD_BYTES } from "./edge/resources.ts";
import { PIECE_BYTES, sendBytes } from "./edge/send-bytes.ts";
import { plusSigns } from "./plus-signs.ts";
import { hasOptionalBody, type RouteResponse, type Call, type Route } from "./route.ts";
import { V1 } from "./v1.ts";

/** Schema of routes that take no parameters: an unknown one is refused. */
const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

/**
 * The routes by GET that are not counted as reads: they show no data, or the export service records each
 * opening of the file.
 */
export const NOT_READS: ReadonlySet<string> = new Set([
  "get-usage",
  "get-export-content",
  "get-archive-events",
  "get-archive-evidence",
]);

const WINDOWS = { log: RateWindow.LOG, intake: RateWindow.INTAKE } as const;

export interface Serving {
  readonly deps: Deps;
  readonly clock: Clock;
  readonly inFlight: BodyDeps["inFlight"] &
    Pick<RequestsInFlight, "responded" | "readBody" | "reserveResponse" | "signalOf" | "acquire">;
}

/** All widget tokens of an account have a share of their own, and take nothing of what its keys have. */
function holderOf({ accountId, widget }: Pick<Admission, "accountId" | "widget">): string {
  return widget ? `${accountId} widget` : accountId;
}

interface ServedRoute extends Serving {
  readonly bounds: Bounds;
  readonly route: Route;
}

export function registerRoutes(app: FastifyInstance, serving: Serving): void {
  const { deps, inFlight } = serving;
  for (const [method, url, scope, name, make, bounds] of V1) {
    const route = make(deps);
    const query = route.query ?? NO_PARAMETERS;
    const bodyLimit = route.maxBodyBytes ?? deps.limits.bodyMaxBytes;
    const one = { ...serving, bounds, route };
    const options: RouteOptions = {
      method,
      url,
      bodyLimit,
      config: {
        scope,
        isRead: method === "GET" && !NOT_READS.has(name),
        ...(route.feature !== undefined && { feature: route.feature }),
        ...(route.window && { window: WINDOWS[route.window] }),
        ...(route.maxDepth !== undefined && { maxDepth: route.maxDepth }),
        ...(route.maxValues !== undefined && { maxValues: route.maxValues }),
        ...(route.readPlain !== undefined && { readPlain: route.readPlain }),
        ...(route.rawBody !== undefined && { isRaw: true }),
        ...(route.errors !== undefined && { errors: route.errors }),
      },
      schema: {
        querystring: query,
        ...(route.body && !route.rawBody && { body: route.body }),
        // What a wildcard matches is read by the handler.
        ...(route.params && !url.endsWith("*") && { params: route.params }),
        ...(route.headers && { headers: route.headers }),
      },
      ...(route.body && {
        preParsing: (request, _reply, payload, next) => {
          readBody(request, inFlight, bodyLimit);
          next(null, payload);
        },
      }),
      onRequest: [...bodyHooks(route, inFlight), ...onceEach(route.headers)],
      preValidation: complete(route, query),
      handler: (request, reply) => {
        const { resource } = bounds;
        if (resource === "slot") return respond(one, request, reply);
        return inFlight
          .acquire(request.raw, resource, holderOf(admissionOf(request)))
          .then(() => respond(one, request, reply));
      },
    };
    if (route.rawBody !== "any") app.route(options);
    else
      void app.register(async (own) => {
        readAnyBodies(own, { ...deps, inFlight });
        own.route(options);
      });
  }
}

/** A hook before validation: reads what the query parser and the headers leave open. */
function complete(route: Route, query: TObject) {
  const checkIntegers = queryIntegers(query);
  const readPlus = plusSigns(query);
  const isOptional = hasOptionalBody(route);
  return (request: FastifyRequest, _reply: FastifyReply, next: (error?: Error) => void): void => {
    readPlus?.(request.url, request.query as Record<string, unknown>);
    checkIntegers?.(request.query);
    // Not for null, which a client has sent.
    if (isOptional && request.body === undefined) request.body = {};
    next();
  };
}

function bodyHooks(route: Route, inFlight: Serving["inFlight"]) {
  if (!route.body) return [takeNoBody(inFlight)];
  return hasOptionalBody(route) ? [takeAbsentBody(inFlight)] : [];
}

/** A larger response means that a service did not keep to a bound: it is not sent. */
function refuseBeyond({ bytes }: Bounds, length: number): void {
  if (bytes !== "body" && length > bytes)
    throw internal(`a response has ${length} bytes; the limit is ${bytes}`);
}

/** Each header that a route reads may be sent once. */
function onceEach(headers: TObject | undefined) {
  return Object.keys(headers?.properties ?? {}).map(refuseRepeated);
}

/**
 * Neither this nor the handlers of appends are async functions: an async function keeps its arguments while
 * it waits, and a parsed body can take ten times its bytes.
 */
function respond(
  one: ServedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { clock, inFlight, route } = one;
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
    rawHeaders: raw.rawHeaders,
    url: request.url,
    // A getter: the appends do not use it, and it costs more than the rest of this object.
    get signal() {
      return inFlight.signalOf(raw);
    },
  };
  request.body = undefined;
  inFlight.begin(raw);
  let responding: Promise<RouteResponse>;
  try {
    responding = route.handle(call);
  } catch (error) {
    inFlight.ended(raw);
    throw error;
  }
  return responding.then(
    (responded) => {
      inFlight.ended(raw);
      return send(reply.code(route.success.status), responded, one);
    },
    (error: unknown) => {
      inFlight.ended(raw);
      throw error;
    },
  );
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

function send(
  reply: FastifyReply,
  { body, headers, stream }: RouteResponse,
  { bounds, inFlight, route }: ServedRoute,
): FastifyReply {
  const { raw } = reply.request;
  if (headers) reply.headers(headers);
  if (stream) {
    try {
      inFlight.reserveResponse(raw, DOWNLOAD_BYTES);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    reply.send(stream);
    inFlight.responded(raw, DOWNLOAD_BYTES);
    return reply;
  }
  if (body === undefined) reply.send();
  else {
    const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    if (headers?.["content-type"] === undefined) reply.type("application/json; charset=utf-8");
    if (text.length <= PIECE_BYTES) reply.send(text);
    else {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      refuseBeyond(bounds, bytes.length);
      // What a request with a body did may no longer be refused.
      if (!route.body) inFlight.reserveResponse(raw, bytes.length);
      sendBytes(reply, bytes);
      inFlight.responded(raw, bytes.length);
      return reply;
    }
  }
  inFlight.responded(raw);
  return reply;
}
