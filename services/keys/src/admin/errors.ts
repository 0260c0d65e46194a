// The statuses and bodies of errors of the admin API: the same types as those of the interface (interface 4).
// Called by api.ts. Any error without a kind, unless Fastify refuses a body with it, is an internal one: the
// client gets a request id and no more.

import {
  AnnalsError,
  errorResponseOf,
  type ErrorResponse,
  type ErrorKind,
  type ErrorRow,
  invalid,
} from "@annals/errors";
import { MAX_BODY_BYTES } from "./body.ts";

const ROWS: Partial<Record<ErrorKind, ErrorRow>> = {
  unauthenticated: { status: 401, type: "authentication_error", code: "unauthorized" },
  scope_missing: { status: 403, type: "scope_error" },
  plan_count_exceeded: { status: 403, type: "plan_limit_exceeded" },
  not_found: { status: 404, type: "not_found" },
  invalid: { status: 422, type: "validation_error" },
  unavailable: { status: 500, type: "server_error" },
};

export function errorResponse(error: unknown, requestId: string): ErrorResponse {
  return errorResponseOf(
    error instanceof AnnalsError ? error : refusedBody(error),
    ROWS,
    requestId,
  );
}

function refusedBody(error: unknown): AnnalsError | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return invalid({ field: "", message: `The body has more than ${MAX_BODY_BYTES} bytes.` });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return invalid({ field: "Content-Type", message: "must be application/json" });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalid({ field: "Content-Length", message: "does not match the length of the body" });
    default:
      return undefined;
  }
}
