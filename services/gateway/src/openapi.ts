// The OpenAPI 3.1 document at /openapi.json, made from the schemas that the routes validate with. What is ours where the
// interface is silent carries `x-annals-open-detail: true`.

import swagger from "@fastify/swagger";
import type { Scope } from "@annals/contract";
import type { FastifyInstance, FastifySchema } from "fastify";
import { Type, type TSchema } from "typebox";
import type { Route } from "./route.ts";

const ErrorSchema = Type.Object({
  error: Type.Object({
    type: Type.String(),
    code: Type.Optional(
      Type.String({ description: "Beside type, on 401 and on 403 for a scope." }),
    ),
    message: Type.String(),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
        "x-annals-open-detail": true,
      }),
    ),
  }),
});

const FAILURES: Readonly<Record<number, string>> = {
  401: "No valid API key: authentication_error.",
  403: "The key lacks the scope, or the plan leaves this out: scope_error, plan_feature_unavailable.",
  404: "Not found: not_found.",
  422: "Something in the request is not valid, and the message names it: validation_error.",
  429: "Too many requests: rate_limit_exceeded, with Retry-After.",
  500: "A fault of the service: server_error. With Retry-After where trying again can help.",
};

const RATE_LIMIT_HEADERS = {
  "X-RateLimit-Limit": { type: "integer", description: "Requests in the current window." },
  "X-RateLimit-Remaining": { type: "integer", description: "Requests left in the current window." },
} as const;

/** Registers the document; routes registered later are in it. */
export async function serveOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Annals",
        version: "1",
        description: "An audit log whose events form a hash chain that anyone can verify.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/" }],
      security: [{ apiKey: [] }],
      components: {
        securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key." } },
      },
    },
  });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
}

/** The parts of a route's schema that only the document needs. */
export function routeDocument(name: string, scope: Scope, route: Route): FastifySchema {
  const { success } = route;
  const failures = [401, 403, ...(route.failures ?? []), 422, 429, 500];
  return {
    operationId: name,
    summary: route.summary,
    description: [route.description, `Needs the scope \`${scope}\`.`].filter(Boolean).join(" "),
    ...(route.openDetail && { "x-annals-open-detail": true }),
    response: {
      [success.status]: documented("Done.", success.status === 204 ? undefined : success.body),
      ...Object.fromEntries(
        failures.map((status) => [status, documented(FAILURES[status] ?? "", ErrorSchema)]),
      ),
    },
  } as FastifySchema;
}

function documented(description: string, schema: TSchema | undefined) {
  const content = schema && { content: { "application/json": { schema } } };
  return { description, headers: RATE_LIMIT_HEADERS, ...(content ?? { type: "null" }) };
}
