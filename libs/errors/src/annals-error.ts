// The one error class of the product. Code throws it with a closed kind; it is translated once at each
// process edge. Any other exception is an internal error and must show nothing to a client.

/** The closed kinds of failure. Each has one row in the gateway's table of statuses (interface 4). */
export type ErrorKind =
  | "unauthenticated"
  | "scope_missing"
  | "permission_denied"
  | "plan_feature_unavailable"
  | "plan_count_exceeded"
  | "plan_quota_exceeded"
  | "not_found"
  | "invalid"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** One invalid member, in the client's own terms: field `events[3].action`, and what to do. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export interface ErrorOptions {
  readonly faults?: readonly FieldFault[];
  /** Seconds, an integer, after which a retry can succeed. */
  readonly retryAfterS?: number;
  /** For the log only; never shown to a client. */
  readonly cause?: unknown;
}

export class AnnalsError extends Error {
  override readonly name = "AnnalsError";
  readonly kind: ErrorKind;
  readonly faults: readonly FieldFault[];
  readonly retryAfterS: number | undefined;

  /** `message` is shown to clients: no secret, no internal name. */
  constructor(kind: ErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.faults = options.faults ?? [];
    this.retryAfterS = options.retryAfterS;
  }
}

/** 404: no such `resource` for this account. */
export function notFound(resource: string, id: string): AnnalsError {
  return new AnnalsError(
    "not_found",
    `No ${resource} has the id ${JSON.stringify(id.slice(0, 80))}.`,
  );
}

/** 422: one or more members are invalid. The message is that of the first. */
export function invalid(...faults: [FieldFault, ...FieldFault[]]): AnnalsError {
  const [first] = faults;
  const message = first.field === "" ? first.message : `${first.field}: ${first.message}`;
  return new AnnalsError("invalid", message, { faults });
}

/** 500 with Retry-After: a service or database that the request needs is unreachable or overloaded. */
export function unavailable(message: string, cause?: unknown, retryAfterS = 1): AnnalsError {
  return new AnnalsError("unavailable", message, { retryAfterS, cause });
}

/** 500: an internal error. The message goes to the log, never to a client. */
export function internal(message: string, cause?: unknown): AnnalsError {
  return new AnnalsError("internal", message, { cause });
}
