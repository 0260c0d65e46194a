// The refusals of an operation in the document, with the bodies of their responses. What all
// operations share is in `components.responses`.

import { AnnalsError, internal, invalid, notFound, unavailable } from "@annals/errors";
import { ANY_KEY, type Permission, WIDGET } from "@annals/contract";
import { Type } from "typebox";
import { OTHER_ADDRESS } from "../admission/refused.ts";
import { OTHER_ORIGIN } from "../edge/cors.ts";
import { bodyTooLarge, errorResponse, renderError } from "../errors.ts";
import { named, openDetail } from "../render/schema.ts";
import type { Route } from "../route.ts";
import { headerReferences } from "./headers.ts";
import { type Components, documented } from "./schemas.ts";

const ErrorSchema = named(
  "Error",
  Type.Object({
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
          description: "Present on 401, and on 403 for a missing scope.",
        }),
      ),
      message: Type.String({ description: "Human-readable." }),
      details: Type.Optional(
        Type.Array(
          named("FieldFault", Type.Object({ field: Type.String(), message: Type.String() })),
          { description: "What is wrong with the request.", ...openDetail("error-details") },
        ),
      ),
    }),
  }),
);

const REQUEST_ID = "req_4c7f0j3m6q9t2w5z8b1e4h7k0n";

interface Failure {
  /** Name of the shared response. */
  readonly name: string;
  readonly description: string;
  readonly errors: readonly AnnalsError[];
}

/** What operations share, by status. */
const SHARED = {
  401: {
    name: "Unauthenticated",
    description: "No valid API key, or no valid widget token if the operation takes one.",
    errors: [
      new AnnalsError(
        "unauthenticated",
        "The API key is not valid, it has expired, or it was revoked.",
      ),
    ],
  },
  404: {
    name: "NotFound",
    description: "The account has no such resource.",
    errors: [notFound("event", "evt_0000000000001zttz581y73f7x")],
  },
  422: {
    name: "Invalid",
    description: "Something in the request is not valid; the message names it.",
    errors: [invalid({ field: "actor.id", message: "must be a string" })],
  },
  429: {
    name: "RateLimited",
    description: "Too many requests in the window, or too many concurrent requests.",
    errors: [
      new AnnalsError(
        "rate_limited",
        "Rate limit reached: 100 requests per minute for this key. Try again in 17 seconds.",
        {
          retryAfterS: 17,
        },
      ),
    ],
  },
  500: {
    name: "ServerError",
    description: "An internal error. Has Retry-After if a retry can help.",
    errors: [internal(""), unavailable("The request could not be admitted.")],
  },
} as const satisfies Readonly<Record<number, Failure>>;

const MONTH = new AnnalsError(
  "plan_quota_exceeded",
  "The plan allows 10000 events per calendar month (UTC); 0 left in 2026-01.",
  { retryAfterS: 86_400 },
);

/** The responses of what may be refused, by status. */
export function failureResponses(scope: Permission, route: Route, components: Components) {
  const { errors, description } = SHARED[429];
  const quota = [...errors, MONTH];
  if (route.errors === "otlp")
    return otlpFailures([...forbidden(scope, route), ...quota], components);
  return {
    401: reference(401),
    403: response(
      scope === WIDGET
        ? "The token does not allow the origin of the page."
        : "The key or the plan does not allow the operation.",
      forbidden(scope, route),
      components,
    ),
    ...(route.failures?.includes(404) && { 404: reference(404) }),
    422: reference(422),
    429: route.planLimit === "month" ? response(description, quota, components) : reference(429),
    500: reference(500),
  };
}

const OtlpStatus = named(
  "OtlpStatus",
  Type.Object(
    {
      code: Type.Integer({ description: "A status code of gRPC." }),
      message: Type.String({ description: "Human-readable." }),
    },
    { description: "`google.rpc.Status`." },
  ),
);

/** The same as clients of OTLP get them. */
function otlpFailures(more: readonly AnnalsError[], components: Components) {
  const shared = [401, 422, 500] as const;
  const errors = [...shared.flatMap((status) => SHARED[status].errors), ...more, bodyTooLarge()];
  const answers = errors.map((error) => {
    const { headers, payload, status } = renderError(error, REQUEST_ID, { format: "otlp" });
    return {
      error,
      hasRetryAfter: "retry-after" in headers,
      status,
      value: JSON.parse(String(payload)),
    };
  });
  const responses = Array.from(
    Map.groupBy(answers, ({ status }) => status),
    ([status, each]) => {
      const examples = each.map(({ error, value }) => [error.kind, { value }]);
      const documentation = {
        description: `${OTLP_FAILURES[status]} In the encoding of the request.`,
        headers: headerReferences(each.some((one) => one.hasRetryAfter) ? ["Retry-After"] : []),
        content: {
          "application/json": {
            schema: documented(OtlpStatus, components),
            examples: Object.fromEntries(examples) as object,
          },
          "application/x-protobuf": { schema: { type: "string", format: "binary" } },
        },
      };
      return [status, documentation];
    },
  );
  // A head that cannot be read names no route, so its refusal is in the format of the interface.
  return {
    ...(Object.fromEntries(responses) as Readonly<Record<number, object>>),
    422: reference(422),
  };
}

const OTLP_FAILURES: Readonly<Record<number, string>> = {
  400: SHARED[422].description,
  401: SHARED[401].description,
  403: "The key or the plan does not allow the operation.",
  413: "The body is too large.",
  429: SHARED[429].description,
  500: "An internal error.",
  503: "A service that is needed cannot be reached. Send the same again.",
};

/** `components.responses`. */
export function sharedFailures(components: Components) {
  return Object.fromEntries(
    Object.values(SHARED).map(({ name, description, errors }) => [
      name,
      response(description, errors, components),
    ]),
  );
}

const reference = (status: keyof typeof SHARED) => ({
  $ref: `#/components/responses/${SHARED[status].name}`,
});

function forbidden(scope: Permission, { feature, planLimit }: Route): AnnalsError[] {
  if (scope === WIDGET) return [new AnnalsError("scope_missing", OTHER_ORIGIN)];
  // No plan forbids what any key may do, and only such a route shows this example.
  if (scope === ANY_KEY) return [new AnnalsError("scope_missing", OTHER_ADDRESS)];
  const errors = [
    new AnnalsError("scope_missing", `This operation needs a key with the scope ${scope}.`),
  ];
  if (feature !== undefined) {
    const message = `The plan free does not include ${feature}.`;
    errors.push(new AnnalsError("plan_feature_unavailable", message));
  }
  if (planLimit === "count")
    errors.push(
      new AnnalsError("plan_count_exceeded", "The limit of the plan is reached. Delete one first."),
    );
  return errors;
}

function response(
  description: string,
  errors: readonly AnnalsError[],
  components: Components,
): object {
  const answers = errors.map((error) => ({ error, ...errorResponse(error, REQUEST_ID) }));
  const types = new Set(answers.map(({ body }) => `\`${body.error.type}\``));
  const hasRetryAfter = answers.some(({ headers }) => "retry-after" in headers);
  return {
    description: `${description} ${[...types].join(", ")}.`,
    headers: headerReferences(hasRetryAfter ? ["Retry-After"] : []),
    content: {
      "application/json": {
        schema: documented(ErrorSchema, components),
        examples: Object.fromEntries(
          answers.map(({ error, body }) => [error.kind, { value: body }]),
        ),
      },
    },
  };
}
