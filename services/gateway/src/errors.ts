// The only place that knows status codes of errors (interface 4). Every failure of a request ends here:
// errors with a kind, faults of the body, what Fastify refuses. Anything else is an internal error: the
// client gets a request id and nothing more. A client of OTLP gets the same as google.rpc.Status, in the
// encoding of its request, with the statuses that make it retry or not (docs/intake.md).

import { JsonFault } from "@annals/event";
import {
  AnnalsError,
  errorResponseOf,
  type ErrorResponse,
  type ErrorKind,
  type ErrorRow,
  invalid,
  toConnectError,
} from "@annals/errors";
import { StatusSchema } from "@annals/proto/otlp";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import type { FastifyError } from "fastify";
import { mediaTypeOf, PROTOBUF } from "./render/media-type.ts";
import { pathTooLong } from "./url-length.ts";
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

/** What `invalid` makes of a body that is larger than its route takes. */
export class BodyTooLarge extends AnnalsError {
  constructor({ faults, message }: Pick<AnnalsError, "faults" | "message">) {
    super("invalid", message, { faults });
  }
}

export const bodyTooLarge = (): BodyTooLarge =>
  new BodyTooLarge(invalid({ field: "", message: "The body is too large. Send less at a time." }));

/** What a client of a route reads errors in, if not in the format of the interface. */
export type ErrorFormat = "otlp";

export interface RenderedError extends Omit<ErrorResponse, "body"> {
  readonly mediaType: string;
  readonly payload: string | Buffer;
}

/** The same as it is sent. `contentType` is that of the request. */
export function renderError(
  error: unknown,
  requestId: string,
  {
    contentType = "",
    format,
  }: { contentType?: string | undefined; format?: ErrorFormat | undefined },
): RenderedError {
  const { body, ...response } = errorResponse(error, requestId);
  const json = { ...response, mediaType: "application/json; charset=utf-8" };
  if (format !== "otlp") return { ...json, payload: JSON.stringify(body) };
  const known = knownError(error);
  const { message } = body.error;
  const status = create(StatusSchema, { code: toConnectError(known).code, message });
  const otlp = { ...json, status: otlpStatus(known, response) };
  return mediaTypeOf(contentType) === PROTOBUF
    ? { ...otlp, mediaType: PROTOBUF, payload: Buffer.from(toBinary(StatusSchema, status)) }
    : { ...otlp, payload: toJsonString(StatusSchema, status) };
}

/** OTLP/HTTP: what is not valid is 400, and of all 5xx a client retries only these that say so. */
function otlpStatus(
  error: AnnalsError | undefined,
  { headers, status }: Pick<ErrorResponse, "headers" | "status">,
): number {
  if (error instanceof BodyTooLarge) return 413;
  if (error?.kind === "invalid") return 400;
  return status === 500 && "retry-after" in headers ? 503 : status;
}

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
      return bodyTooLarge();
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return invalid({ field: "Content-Type", message: "must be application/json" });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalid({ field: "Content-Length", message: "does not match the length of the body" });
    case "FST_ERR_BAD_URL":
      return invalid({ field: "", message: "The path is not a valid URL path." });
    case "FST_ERR_MAX_PARAM_LENGTH":
      return pathTooLong();
    default:
      return undefined;
  }
}
