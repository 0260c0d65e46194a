// Registers the routes of v1.ts with Fastify: schemas for validation and for the OpenAPI document, the
// handler, the answer. Called by app.ts.

import type { Clock } from "@annals/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Deps } from "./deps.ts";
import { queryIntegers } from "./edge/query-integers.ts";
import { routeDocument } from "./openapi.ts";
import type { Answer, Call, Route } from "./route.ts";
import { V1 } from "./v1.ts";

/** Of routes that take no parameters: an unknown one is refused. */
const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

export function registerRoutes(app: FastifyInstance, deps: Deps, clock: Clock): void {
  for (const [method, url, scope, name, make] of V1) {
    const route = make(deps);
    const query = route.query ?? NO_PARAMETERS;
    const checkIntegers = queryIntegers(query);
    app.route({
      method,
      url,
      ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
      config: {
        scope,
        ...(route.feature !== undefined && { feature: route.feature }),
        ...(route.maxDepth !== undefined && { maxDepth: route.maxDepth }),
        ...(route.maxValues !== undefined && { maxValues: route.maxValues }),
      },
      schema: {
        ...routeDocument(name, scope, route),
        querystring: query,
        ...(route.body && { body: route.body }),
        ...(route.params && { params: route.params }),
        ...(route.headers && { headers: route.headers }),
      },
      ...(checkIntegers && {
        preValidation: async (request) => checkIntegers(request.query),
      }),
      // The routes write their answers themselves; the response schemas are for the document.
      serializerCompiler: () => (data) => JSON.stringify(data),
      handler: (request, reply) => answer(route, request, reply, clock),
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
  clock: Clock,
): Promise<FastifyReply> {
  const { admission, body } = request;
  if (!admission) throw new Error("a request reached a handler without admission");
  const call: Call<unknown, unknown, unknown, unknown> = {
    admission,
    readmit: request.readmit,
    body,
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
  return route.handle(call).then((answered) => send(route, reply, answered));
}

function send(route: Route, reply: FastifyReply, { body, headers, stream }: Answer): FastifyReply {
  if (headers) reply.headers(headers);
  reply.code(route.success.status);
  if (stream) return reply.send(stream);
  if (body === undefined) return reply.send();
  return reply
    .type("application/json; charset=utf-8")
    .send(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}
