// The only place that knows status codes of errors (interface 4). Every failure of a request ends here:
// errors with a kind, faults of the body, what Fastify refuses. Anything else is an internal error: the
// client gets a request id and nothing more.

import { JsonFault } from "@annals/event";
import {
  AnnalsError,
  errorResponseOf,
  type ErrorResponse,
  type ErrorKind,
  type ErrorRow,
  invalid,
} from "@annals/errors";
import type { FastifyError } from "fastify";
import { urlTooLong } from "./url-length.ts";
import { validationFault } from "./validation-fault.ts";

const TABLE: Record<ErrorKind, ErrorRow | undefined> = {
  unauthenticated: { status: 401, type: "authentication_error", code: "unauthorized" },
  scope_missing: { status: 403, type: "scope_error", code: "forbidden" },
  plan_feature_unavailable: { status: 403, type: "plan_feature_unavailable" },
  plan_count_exceeded: { status: 403, type: "plan_limit_exceeded" },
  plan_quota_exceeded: { status: 429, type: "plan_limit_exceeded" },
  not_found: { status: 404, type: "not_found" },
  invalid: { status: 422, type: "validation_error" },
  rate_limited: { status: 429, type: "rate_limit_exceeded" },
  unavailable: { status: 500, type: "server_error" },
  // A call of our own that a service refused: no client can do anything about it.
  permission_denied: undefined,
  internal: undefined,
};

/** The response to a request that failed with `error`. */
export function errorResponse(error: unknown, requestId: string): ErrorResponse {
  return errorResponseOf(knownError(error), TABLE, requestId);
}

function knownError(error: unknown): AnnalsError | undefined {
  if (error instanceof AnnalsError) return error;
  if (error instanceof JsonFault) return jsonFault(error);
  return isFastifyError(error) ? fastifyError(error) : undefined;
}

function jsonFault({ path, message, offset }: JsonFault): AnnalsError {
  return invalid({ field: path, message: `${message} (byte ${offset} of the body)` });
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** What Fastify itself refuses. The interface has no 400, 413 or 415: such a request is not valid. */
function fastifyError(error: FastifyError): AnnalsError | undefined {
  if (error.validation) return validationFault(error);
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return invalid({ field: "", message: "The body is too large. Send less at a time." });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return invalid({ field: "Content-Type", message: "must be application/json" });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalid({ field: "Content-Length", message: "does not match the length of the body" });
    case "FST_ERR_BAD_URL":
      return invalid({ field: "", message: "The path is not a valid URL path." });
    case "FST_ERR_MAX_PARAM_LENGTH":
      return urlTooLong();
    default:
      return undefined;
  }
}
