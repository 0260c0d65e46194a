// The OpenAPI 3.1 document at /openapi.json, made from the schemas that the routes validate with.
// Details that the interface leaves open carry `x-annals-open-detail: true`.

import swagger from "@fastify/swagger";
import type { Scope } from "@annals/contract";
import type { FastifyInstance, FastifySchema, onRequestHookHandler } from "fastify";
import { Type, type TSchema } from "typebox";
import type { Route } from "./route.ts";

const OPEN_DETAIL = { "x-annals-open-detail": true } as const;

const ErrorSchema = Type.Object({
  error: Type.Object({
    type: Type.Enum([
      "authentication_error",
      "scope_error",
      "plan_feature_unavailable",
      "plan_limit_exceeded",
      "not_found",
      "validation_error",
      "rate_limit_exceeded",
      "server_error",
    ]),
    code: Type.Optional(
      Type.Enum(["unauthorized", "forbidden"], {
        description: "Beside type, on 401 and on 403 for a scope.",
      }),
    ),
    message: Type.String({ description: "For people." }),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
        description: "What is at fault in the request.",
        ...OPEN_DETAIL,
      }),
    ),
  }),
});

/** The answers that operations share, by status. */
const FAILURES: Readonly<Record<number, readonly [name: string, description: string]>> = {
  401: ["Unauthenticated", "No valid API key: authentication_error."],
  403: [
    "Forbidden",
    "The key lacks the scope, the plan leaves this out, or its count is reached: scope_error, " +
      "plan_feature_unavailable, plan_limit_exceeded.",
  ],
  404: ["NotFound", "Not found: not_found."],
  422: ["Invalid", "Something in the request is not valid, and the message names it."],
  429: [
    "RateLimited",
    "Too many requests, or the plan's events of the month are used up: rate_limit_exceeded, plan_limit_exceeded.",
  ],
  500: ["ServerError", "An internal error: server_error. With Retry-After where a retry can help."],
};

/** Of the failures that have, or may have, a Retry-After. */
const WITH_RETRY_AFTER: readonly number[] = [429, 500];

const HEADERS = {
  "X-RateLimit-Limit": {
    schema: { type: "integer" },
    description: "Maximum requests in the current window.",
  },
  "X-RateLimit-Remaining": {
    schema: { type: "integer" },
    description: "Requests remaining in the current window.",
  },
  "Retry-After": { schema: { type: "integer" }, description: "Seconds to wait before retrying." },
} as const;

const SECURITY_SCHEMES = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key with the scope needed." },
} as const;

const LIMIT_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining"] as const;

/** Registers the document, with a hook before it; routes registered later are in it. */
export async function serveOpenApi(
  app: FastifyInstance,
  onRequest: onRequestHookHandler,
): Promise<void> {
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
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transformObject: (document) =>
      "openapiObject" in document ? withShared(document.openapiObject) : document.swaggerObject,
  });
  let text: string | undefined;
  app.get("/openapi.json", { onRequest, schema: { hide: true } }, (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(text);
  });
}

/** The parts of a route's schema that only the document needs. */
export function routeDocument(name: string, scope: Scope, route: Route): FastifySchema {
  const { success } = route;
  const failures = [401, 403, ...(route.failures ?? []), 422, 429, 500];
  return {
    operationId: name,
    summary: route.summary,
    description: [route.description, `Needs the scope \`${scope}\`.`].filter(Boolean).join(" "),
    ...(route.openDetail && OPEN_DETAIL),
    response: {
      [success.status]: successAnswer(success),
      ...Object.fromEntries(failures.map((status) => [status, { description: "Shared." }])),
    },
  };
}

function successAnswer(success: Route["success"]) {
  if (success.status === 204) return { description: "Done.", type: "null" };
  if ("mediaTypes" in success) {
    const content = success.mediaTypes.map((type) => [type, { schema: Type.String() }]);
    return { description: "Done.", content: Object.fromEntries(content) };
  }
  const schema: TSchema = success.body;
  return { description: "Done.", content: { "application/json": { schema } } };
}

type Document = Extract<
  Parameters<NonNullable<swagger.FastifyDynamicSwaggerOptions["transformObject"]>>[0],
  { openapiObject: unknown }
>["openapiObject"];

/** Moves what all operations share to `components`, and refers to it. */
function withShared(document: Document): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations ?? {}).map(([method, operation]) => [
        method,
        sharing(operation as Operation),
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths), components: COMPONENTS };
}

interface Operation {
  readonly responses: Readonly<Record<string, object>>;
}

function sharing(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const [name] = FAILURES[Number(status)] ?? [];
    if (name !== undefined) return [status, { $ref: `#/components/responses/${name}` }];
    return [status, { ...response, headers: headerReferences(LIMIT_HEADERS) }];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

function headerReferences(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const COMPONENTS = {
  securitySchemes: SECURITY_SCHEMES,
  headers: HEADERS,
  schemas: { Error: ErrorSchema },
  responses: Object.fromEntries(
    Object.entries(FAILURES).map(([status, [name, description]]) => [
      name,
      {
        description,
        headers: headerReferences(
          WITH_RETRY_AFTER.includes(Number(status))
            ? [...LIMIT_HEADERS, "Retry-After"]
            : LIMIT_HEADERS,
        ),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  ),
};
